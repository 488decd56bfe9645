// RUN: tlcourse opt %s -p 'one-shot-bufferize' | filecheck %s
// RUN: bishengir-opt %s --one-shot-bufferize | filecheck %s

// Tensors become buffers; an empty tensor is an allocation.

// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[IN:[a-z0-9]+]]: memref<32x64xf32>, %[[OUT:[a-z0-9]+]]: memref
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: hivm.hir.load ins(%[[IN]] : {{.*}}) outs(%[[A]] :
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: hivm.hir.vexp ins(%[[A]] : {{.*}}) outs(%[[B]] :
// CHECK: hivm.hir.store ins(%[[B]] : {{.*}}) outs(%[[OUT]] :
func.func @exp(%in: memref<32x64xf32>, %out: memref<32x64xf32>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %t = bufferization.to_tensor %in restrict writable : memref<32x64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %l = hivm.hir.load ins(%t : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<32x64xf32>
  %x = hivm.hir.vexp ins(%l : tensor<32x64xf32>) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  hivm.hir.store ins(%x : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
  return
}
