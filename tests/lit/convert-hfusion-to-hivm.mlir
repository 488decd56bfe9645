// RUN: tlcourse opt %s -p 'convert-hfusion-to-hivm' | filecheck %s
// RUN: bishengir-opt %s --convert-hfusion-to-hivm | filecheck %s

// Each function has its vector instruction.

// CHECK-LABEL: func.func @words
// CHECK: %[[X:.*]] = hivm.hir.vln ins(%{{.*}} : tensor<64xf32>)
// CHECK: %[[Y:.*]] = hivm.hir.vmax ins(%[[X]], %{{.*}} : tensor<64xf32>, tensor<64xf32>)
// CHECK: %[[Z:.*]] = hivm.hir.vrelu ins(%[[Y]] : tensor<64xf32>)
// CHECK: return %[[Z]]
func.func @words(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<log>} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%0, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%1 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
