// RUN: tlcourse opt %s -p 'cv-pipelining' | filecheck %s
// RUN: bishengir-opt %s --cv-pipelining | filecheck %s

// Two iterations a round: the cube core fills both copies, then the vector core reads them.

// CHECK-LABEL: func.func @mixed
// CHECK: memref_ext.alloc_workspace() from {{.*}} to memref<2x16x16xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: hivm.hir.mmadL1
// CHECK: memref.subview %{{.*}}[%[[T]], 0, 0] [1, 16, 16] [1, 1, 1] : memref<2x16x16xf32>
// CHECK: hivm.hir.fixpipe
// CHECK: } {hivm.loop_core_type = #hivm.tcore_type<CUBE>, multibuffer_unroll_factor = 2 : i32}
// CHECK: scf.for %[[U:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: tensor.extract_slice %{{.*}}[%[[U]], 0, 0] [1, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> to tensor<16x16xf32>
// CHECK: hivm.hir.load
// CHECK: hivm.hir.vadd
// CHECK: } {hivm.loop_core_type = #hivm.tcore_type<VECTOR>, multibuffer_unroll_factor = 2 : i32}
func.func @mixed(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
    %lock: memref<?xi8> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
    %ws: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>},
    %a: tensor<16x16xf16>, %b: memref<8x16x16xf16>, %out: memref<16x16xf32>)
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %n = arith.constant 16 : index
  %e = tensor.empty() : tensor<16x16xf32>
  %start = hivm.hir.vbrc ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %start) -> (tensor<16x16xf32>) : i32 {
    %at = arith.index_cast %i : i32 to index
    %part = memref.subview %b[%at, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
    %tile = memref.alloc() : memref<16x16xf16>
    hivm.hir.load ins(%part : memref<16x16xf16, strided<[16, 1], offset: ?>>) outs(%tile : memref<16x16xf16>) core_type = <CUBE>
    %bt = bufferization.to_tensor %tile restrict : memref<16x16xf16>
    %e0 = tensor.empty() : tensor<16x16xf32>
    %r = hivm.hir.mmadL1 {fixpipe_for_result_already_inserted = true} ins(%a, %bt, %true, %n, %n, %n :
        tensor<16x16xf16>, tensor<16x16xf16>, i1, index, index, index) outs(%e0 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = memref_ext.alloc_workspace() from %ws : from memref<?xi8> to memref<16x16xf32>
    annotation.mark %w {hivm.multi_buffer = 2 : i32} : memref<16x16xf32>
    %wt = bufferization.to_tensor %w restrict writable : memref<16x16xf32>
    %f = hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%r : tensor<16x16xf32>)
        outs(%wt : tensor<16x16xf32>) -> tensor<16x16xf32>
    %e1 = tensor.empty() : tensor<16x16xf32>
    %l = hivm.hir.load ins(%f : tensor<16x16xf32>) outs(%e1 : tensor<16x16xf32>) {"inserted-load"} core_type = <VECTOR> -> tensor<16x16xf32>
    %e2 = tensor.empty() : tensor<16x16xf32>
    %next = hivm.hir.vadd ins(%acc, %l : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e2 : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  hivm.hir.store ins(%sum : tensor<16x16xf32>) outs(%out : memref<16x16xf32>)
  return
}

// Without a marked workspace tile a loop stays as it is.

// CHECK-LABEL: func.func @unmarked
// CHECK: scf.for
// CHECK-NOT: multibuffer_unroll_factor
// CHECK: return
func.func @unmarked(%a: memref<16xf32>, %b: memref<16xf32>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<16xf32>
    hivm.hir.load ins(%a : memref<16xf32>) outs(%t : memref<16xf32>)
    hivm.hir.store ins(%t : memref<16xf32>) outs(%b : memref<16xf32>)
  }
  return
}
