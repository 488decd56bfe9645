// RUN: tlcourse opt %s -p 'triton-global-kernel-args-to-hivm-op' | filecheck %s
// RUN: bishengir-opt %s --triton-global-kernel-args-to-hivm-op | filecheck %s

// The block index tells the place in the grid.

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[GX:[a-z0-9]+]]: i32, %[[GY:[a-z0-9]+]]: i32, %[[GZ:[a-z0-9]+]]: i32)
// CHECK: %[[XY:.*]] = arith.muli %[[GX]], %[[GY]] : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[XY]], %[[GZ]] : i32
// CHECK: annotation.mark %[[ALL]] {logical_block_num}
// CHECK: %[[B:.*]] = hivm.hir.get_block_idx -> i64
// CHECK: arith.trunci %[[B]] : i64 to i32
func.func @kernel(%a: memref<16xi32>, %gx: i32, %gy: i32, %gz: i32,
    %x: i32, %y: i32, %z: i32)
    attributes {global_kernel = "local", hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {
  %i = arith.index_cast %x : i32 to index
  memref.store %x, %a[%i] : memref<16xi32>
  return
}
