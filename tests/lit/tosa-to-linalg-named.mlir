// RUN: tlcourse opt %s -p 'tosa-to-linalg-named' | filecheck %s
// RUN: bishengir-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named))' | filecheck %s

// A matrix product keeps a name, and its sums start at zero.

// CHECK-LABEL: func.func @product
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x4x3xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E]] : tensor<2x4x3xf32>)
// CHECK: linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<2x8x3xf32>) outs(%[[ZEROS]] :
func.func @product(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  %c = tosa.matmul %a, %b : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return %c : tensor<2x4x3xf32>
}
