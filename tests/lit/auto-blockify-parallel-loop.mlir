// RUN: tlcourse opt %s -p 'auto-blockify-parallel-loop' | filecheck %s
// RUN: bishengir-opt %s --pass-pipeline="builtin.module(hacc-append-device-spec{target=Ascend910B1},func.func(auto-blockify-parallel-loop))" | filecheck %s

// A vector kernel runs on 48 vector cores; each takes every 48th block.

// CHECK-LABEL: func.func @vector
// CHECK: annotation.mark %[[N:.*]] {logical_block_num}
// CHECK: %[[B:.*]] = hivm.hir.get_block_idx
// CHECK-DAG: %[[STEP:.*]] = arith.constant 48 : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.trunci %[[B]] : i64 to i32
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[N]] step %[[STEP]]
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: hivm.hir.load
// CHECK: {autoblockify.subloop}
func.func @vector(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %a: memref<?xf32>, %x: i32, %y: i32, %z: i32)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %0 = arith.muli %x, %y : i32
  %1 = arith.muli %0, %z : i32
  annotation.mark %1 {logical_block_num} : i32
  %2 = hivm.hir.get_block_idx -> i64
  %3 = arith.index_cast %2 : i64 to index
  %part = memref.subview %a[%3] [16] [1] : memref<?xf32> to memref<16xf32, strided<[1], offset: ?>>
  %t = memref.alloc() : memref<16xf32>
  hivm.hir.load ins(%part : memref<16xf32, strided<[1], offset: ?>>) outs(%t : memref<16xf32>)
  return
}

// Nobody asks for the block index: nothing to do.

// CHECK-LABEL: func.func @one
// CHECK-NOT: scf.for
// CHECK: return
func.func @one(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %x: i32)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  annotation.mark %x {logical_block_num} : i32
  return
}
