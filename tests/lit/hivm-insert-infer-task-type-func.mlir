// RUN: tlcourse opt %s -p 'hivm-insert-infer-task-type-func' | filecheck %s
// RUN: bishengir-opt %s --hivm-insert-infer-task-type-func | filecheck %s

// The launcher learns which kinds of core a kernel needs.

// CHECK-LABEL: func.func @kernel_infer_task_type_function() -> i8
// CHECK-SAME: hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>
// CHECK: %[[KIND:.*]] = arith.constant 32 : i8
// CHECK: return %[[KIND]] : i8
module attributes {hivm.module_core_type = #hivm.module_core_type<MIX>} {
  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: tensor<32x48xf16>, %b: tensor<48x64xf16>, %out: memref<32x64xf32>)
      attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
    %true = arith.constant true
    %m = arith.constant 32 : index
    %k = arith.constant 48 : index
    %n = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %e = tensor.empty() : tensor<32x64xf32>
    %r = hivm.hir.mmadL1 ins(%a, %b, %true, %m, %k, %n :
        tensor<32x48xf16>, tensor<48x64xf16>, i1, index, index, index) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
    %w = memref_ext.alloc_workspace() from %ws offset = [%zero] :
        from memref<?xi8> to memref<32x64xf32>
    %wt = bufferization.to_tensor %w restrict writable : memref<32x64xf32>
    %f = hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%r : tensor<32x64xf32>)
        outs(%wt : tensor<32x64xf32>) -> tensor<32x64xf32>
    %e1 = tensor.empty() : tensor<32x64xf32>
    %l = hivm.hir.load ins(%f : tensor<32x64xf32>) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %e2 = tensor.empty() : tensor<32x64xf32>
    %x = hivm.hir.vexp ins(%l : tensor<32x64xf32>) outs(%e2 : tensor<32x64xf32>) -> tensor<32x64xf32>
    hivm.hir.store ins(%x : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
    return
  }
}
