// RUN: tlcourse opt %s -p 'linalg-fuse-elementwise-ops' | filecheck %s
// RUN: bishengir-opt %s --linalg-fuse-elementwise-ops | filecheck %s

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Two ops become one that reads what the first one read, by both maps one after the other; the
// constant with equal elements becomes a number. The value between the two is never a tensor.

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @relu_of_sum
// CHECK-COUNT-1: linalg.generic {indexing_maps = [#[[TURNED]], #[[TURNED]], #[[SAME]]]
// CHECK: %[[S:.*]] = arith.addf
// CHECK: arith.maximumf %[[S]],
// CHECK-NEXT: linalg.yield
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @relu_of_sum(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<8x4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#turned, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s, %zero : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%x: f32, %z: f32, %old: f32):
    %relu = arith.maximumf %x, %z : f32
    linalg.yield %relu : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Who else reads the first result needs it as a tensor: nothing is fused.

// CHECK-LABEL: func.func @read_twice
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: return
func.func @read_twice(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %old: f32):
    %sum = arith.addf %x, %x : f32
    linalg.yield %sum : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %old: f32):
    %half = arith.mulf %x, %x : f32
    linalg.yield %half : f32
  } -> tensor<8x4xf32>
  return %s, %r : tensor<8x4xf32>, tensor<8x4xf32>
}
