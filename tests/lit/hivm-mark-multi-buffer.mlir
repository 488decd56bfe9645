// RUN: tlcourse opt %s -p 'hivm-mark-multi-buffer{enable-auto=true}' | filecheck %s
// RUN: bishengir-opt %s --hivm-mark-multi-buffer="enable-auto=true" | filecheck %s

// What a loop fills or empties through GM gets a second copy.

// CHECK-LABEL: func.func @loop
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NEXT: annotation.mark %[[A]] {hivm.multi_buffer = 2 : i32}
// CHECK: hivm.hir.load
func.func @loop(%in: memref<16xf32, #hivm.address_space<gm>>, %out: memref<16xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %a = memref.alloc() : memref<16xf32, #hivm.address_space<ub>>
    hivm.hir.load ins(%in : memref<16xf32, #hivm.address_space<gm>>) outs(%a : memref<16xf32, #hivm.address_space<ub>>)
    hivm.hir.store ins(%a : memref<16xf32, #hivm.address_space<ub>>) outs(%out : memref<16xf32, #hivm.address_space<gm>>)
  }
  return
}
