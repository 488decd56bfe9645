// RUN: tlcourse opt %s -p 'hivm-normalize-matmul' | filecheck %s
// RUN: bishengir-opt %s --hivm-normalize-matmul | filecheck %s

// An accumulator from a vector op is added afterwards.

// CHECK-LABEL: func.func @add
// CHECK: %[[ACC:.*]] = hivm.hir.vexp
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: %[[P:.*]] = hivm.hir.mmadL1 {{.*}} outs(%[[EMPTY]] :
// CHECK: hivm.hir.vadd ins(%[[P]], %[[ACC]] :
func.func @add(%a: tensor<32x48xf16>, %b: tensor<48x64xf16>, %old: tensor<32x64xf32>) -> tensor<32x64xf32>
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
  %true = arith.constant true
  %m = arith.constant 32 : index
  %k = arith.constant 48 : index
  %n = arith.constant 64 : index
  %false = arith.constant false
  %e = tensor.empty() : tensor<32x64xf32>
  %acc = hivm.hir.vexp ins(%old : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = hivm.hir.mmadL1 ins(%a, %b, %false, %m, %k, %n :
      tensor<32x48xf16>, tensor<48x64xf16>, i1, index, index, index) outs(%acc : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}
