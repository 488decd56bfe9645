// RUN: tlcourse opt %s -p 'hfusion-fuse-ops' | filecheck %s
// RUN: bishengir-opt %s --hfusion-fuse-ops | filecheck %s

// Three ops that feed each other become one kernel; the host calls it.

// CHECK-LABEL: func.func @chain_0
// CHECK-SAME: hacc.function_kind = #hacc.function_kind<DEVICE>
// CHECK: %[[X:.*]] = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>}
// CHECK: %[[Y:.*]] = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%[[X]],
// CHECK: %[[Z:.*]] = hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%[[Y]]
// CHECK: return %[[Z]]
// CHECK-LABEL: func.func @chain(
// CHECK: %[[R:.*]] = {{.*}}call @chain_0(
// CHECK-NOT: elemwise
// CHECK: return %[[R]]
func.func @chain(%a: tensor<32x7xf32>, %b: tensor<32x7xf32>) -> tensor<32x7xf32>
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<HOST>, hfusion.fusion_kind = #hfusion.fusion_kind<PURE_ELEMWISE>} {
  %e = tensor.empty() : tensor<32x7xf32>
  %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%a : tensor<32x7xf32>) outs(%e : tensor<32x7xf32>) -> tensor<32x7xf32>
  %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%0, %b : tensor<32x7xf32>, tensor<32x7xf32>) outs(%e : tensor<32x7xf32>) -> tensor<32x7xf32>
  %2 = hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%1 : tensor<32x7xf32>) outs(%e : tensor<32x7xf32>) -> tensor<32x7xf32>
  return %2 : tensor<32x7xf32>
}
