// RUN: tlcourse opt %s -p 'hivm-inline-fixpipe' | filecheck %s
// RUN: bishengir-opt %s --hivm-inline-fixpipe | filecheck %s

// A product leaves L0C by fixpipe: to GM, or for the vector op that reads it.

// CHECK-LABEL: func.func @to_gm
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<32x64xf32>
// CHECK: %[[R:.*]] = hivm.hir.mmadL1
// CHECK: hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%[[R]] : {{.*}}) outs(%[[OUT]] : memref
// CHECK-NOT: hivm.hir.store
func.func @to_gm(%a: tensor<32x48xf16>, %b: tensor<48x64xf16>, %out: memref<32x64xf32>)
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
  %true = arith.constant true
  %m = arith.constant 32 : index
  %k = arith.constant 48 : index
  %n = arith.constant 64 : index
  %e = tensor.empty() : tensor<32x64xf32>
  %r = hivm.hir.mmadL1 ins(%a, %b, %true, %m, %k, %n :
      tensor<32x48xf16>, tensor<48x64xf16>, i1, index, index, index) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  hivm.hir.store ins(%r : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
  return
}

// CHECK-LABEL: func.func @to_vector
// CHECK: %[[R:.*]] = hivm.hir.mmadL1
// CHECK: %[[F:.*]] = hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%[[R]] :
// CHECK: hivm.hir.vexp ins(%[[F]] :
// CHECK: hivm.hir.store
func.func @to_vector(%a: tensor<32x48xf16>, %b: tensor<48x64xf16>, %out: memref<32x64xf32>)
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
  %x = hivm.hir.vexp ins(%r : tensor<32x64xf32>) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  hivm.hir.store ins(%x : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
  return
}
