// RUN: tlcourse opt %s -p 'tosa-to-linalg' | filecheck %s
// RUN: bishengir-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg))' | filecheck %s

// An elementwise op becomes a generic op with its scalar twin inside; extent 1 is read at 0.

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func.func @add_row
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[ROW]], #[[SAME]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: outs(%[[E]] : tensor<4x8xf32>)
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: linalg.yield %[[S]] : f32
// CHECK-NOT: tosa
func.func @add_row(%a: tensor<4x8xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %s = tosa.add %a, %b : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @clamp
// CHECK: arith.minimumf
// CHECK-NEXT: arith.maximumf
// CHECK-NOT: tosa
func.func @clamp(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = tosa.clamp %a {min_fp = 0.0 : f32, max_fp = 6.0 : f32, min_int = 0 : i64, max_int = 6 : i64}
      : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
