// RUN: tlcourse opt %s -p 'hivm-enable-stride-align' | filecheck %s
// RUN: bishengir-opt %s --hivm-enable-stride-align | filecheck %s

// Rows of 40 bytes that are moved one by one start at multiples of 32 bytes.

// CHECK-LABEL: func.func @rows
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<16x16x
// CHECK: %[[TILE:.*]] = memref.subview %[[ROOM]]
// CHECK-SAME: to memref<16x10xf32, strided<[16, 1]>, #hivm.address_space<ub>>
// CHECK: hivm.hir.load {{.*}} outs(%[[TILE]] :
func.func @rows(%in: memref<16x10xf32, strided<[100, 1]>, #hivm.address_space<gm>>, %out: memref<16x10xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %a = memref.alloc() : memref<16x10xf32, #hivm.address_space<ub>>
  annotation.mark %a {hivm.stride_align_dims = array<i32: 0>,
      hivm.stride_align_value_in_byte = array<i32: 32>} : memref<16x10xf32, #hivm.address_space<ub>>
  hivm.hir.load ins(%in : memref<16x10xf32, strided<[100, 1]>, #hivm.address_space<gm>>)
      outs(%a : memref<16x10xf32, #hivm.address_space<ub>>)
  hivm.hir.store ins(%a : memref<16x10xf32, #hivm.address_space<ub>>) outs(%out : memref<16x10xf32, #hivm.address_space<gm>>)
  return
}
