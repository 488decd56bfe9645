// RUN: tlcourse opt %s -p 'insert-workspace-for-mix-cv' | filecheck %s
// RUN: bishengir-opt %s --insert-workspace-for-mix-cv | filecheck %s

// What crosses the border between the cores lies in the workspace.

// CHECK-LABEL: func.func @border
// CHECK: %[[W:.*]] = memref_ext.alloc_workspace() : memref<32x64xf32>
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[W]] restrict writable : memref<32x64xf32>
// CHECK: hivm.hir.fixpipe {{.*}} outs(%[[T]] :
func.func @border(%a: tensor<32x48xf16>, %b: tensor<48x64xf16>, %out: memref<32x64xf32>)
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
  %true = arith.constant true
  %m = arith.constant 32 : index
  %k = arith.constant 48 : index
  %n = arith.constant 64 : index
  %e = tensor.empty() : tensor<32x64xf32>
  %r = hivm.hir.mmadL1 ins(%a, %b, %true, %m, %k, %n :
      tensor<32x48xf16>, tensor<48x64xf16>, i1, index, index, index) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<32x64xf32>
  %f = hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%r : tensor<32x64xf32>)
      outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e2 = tensor.empty() : tensor<32x64xf32>
  %l = hivm.hir.load ins(%f : tensor<32x64xf32>) outs(%e2 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e3 = tensor.empty() : tensor<32x64xf32>
  %x = hivm.hir.vexp ins(%l : tensor<32x64xf32>) outs(%e3 : tensor<32x64xf32>) -> tensor<32x64xf32>
  hivm.hir.store ins(%x : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
  return
}
