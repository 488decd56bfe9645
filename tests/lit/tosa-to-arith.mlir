// RUN: tlcourse opt %s -p 'tosa-to-arith' | filecheck %s
// RUN: bishengir-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-arith))' | filecheck %s

// A constant of tosa becomes a constant of arith.

// CHECK-LABEL: func.func @ones
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: return %[[C]]
func.func @ones() -> tensor<4xf32> {
  %c = "tosa.const"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  return %c : tensor<4xf32>
}
