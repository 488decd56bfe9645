// RUN: tlcourse opt %s -p 'convert-to-hivm-op' | filecheck %s
// RUN: bishengir-opt %s --convert-to-hivm-op | filecheck %s

// The two memories say which move a copy is.

// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[IN:[a-z0-9]+]]: {{.*}}, %[[OUT:[a-z0-9]+]]: memref
// CHECK: hivm.hir.load ins(%[[IN]] : {{.*}}) outs(%[[A:.*]] : memref<16xf32, #hivm.address_space<ub>>)
// CHECK: hivm.hir.copy ins(%[[A]] : {{.*}}) outs(%[[B:.*]] : memref<16xf32, #hivm.address_space<ub>>)
// CHECK: hivm.hir.store ins(%[[B]] : {{.*}}) outs(%[[OUT]] :
func.func @copies(%in: memref<16xf32, #hivm.address_space<gm>>, %out: memref<16xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %a = memref.alloc() : memref<16xf32, #hivm.address_space<ub>>
  %b = memref.alloc() : memref<16xf32, #hivm.address_space<ub>>
  memref.copy %in, %a : memref<16xf32, #hivm.address_space<gm>> to memref<16xf32, #hivm.address_space<ub>>
  memref.copy %a, %b : memref<16xf32, #hivm.address_space<ub>> to memref<16xf32, #hivm.address_space<ub>>
  memref.copy %b, %out : memref<16xf32, #hivm.address_space<ub>> to memref<16xf32, #hivm.address_space<gm>>
  return
}
