// RUN: tlcourse opt %s -p 'hivm-flatten-ops' | filecheck %s
// RUN: bishengir-opt %s --hivm-flatten-ops | filecheck %s

// Two dimensions in one piece are one.

// CHECK-LABEL: func.func @flat
// CHECK: %[[A:.*]] = memref.collapse_shape {{.*}} into memref<256xf32, #hivm.address_space<ub>>
// CHECK: %[[B:.*]] = memref.collapse_shape {{.*}} into memref<256xf32, #hivm.address_space<ub>>
// CHECK: hivm.hir.vexp ins(%[[A]] : {{.*}}) outs(%[[B]] :
func.func @flat(%a: memref<4x64xf32, #hivm.address_space<ub>>, %b: memref<4x64xf32, #hivm.address_space<ub>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  hivm.hir.vexp ins(%a : memref<4x64xf32, #hivm.address_space<ub>>)
      outs(%b : memref<4x64xf32, #hivm.address_space<ub>>)
  return
}
