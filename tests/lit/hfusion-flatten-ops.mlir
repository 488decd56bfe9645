// RUN: tlcourse opt %s -p 'hfusion-flatten-ops' | filecheck %s
// RUN: bishengir-opt %s --hfusion-flatten-ops | filecheck %s

// One long dimension; between two ops nothing is expanded.

// CHECK-LABEL: func.func @two
// CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} : tensor<32x7xf32> into tensor<224xf32>
// CHECK: %[[X:.*]] = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%[[F]] : tensor<224xf32>)
// CHECK: %[[Y:.*]] = hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%[[X]] : tensor<224xf32>)
// CHECK: %[[R:.*]] = tensor.expand_shape %[[Y]]
// CHECK-SAME: output_shape [32, 7] : tensor<224xf32> into tensor<32x7xf32>
// CHECK: return %[[R]]
func.func @two(%a: tensor<32x7xf32>) -> tensor<32x7xf32> {
  %e = tensor.empty() : tensor<32x7xf32>
  %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%a : tensor<32x7xf32>) outs(%e : tensor<32x7xf32>) -> tensor<32x7xf32>
  %1 = hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%0 : tensor<32x7xf32>) outs(%e : tensor<32x7xf32>) -> tensor<32x7xf32>
  return %1 : tensor<32x7xf32>
}

// One dimension is flat already.

// CHECK-LABEL: func.func @row
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @row(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
