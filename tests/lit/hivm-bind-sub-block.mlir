// RUN: tlcourse opt %s -p 'hivm-bind-sub-block' | filecheck %s
// RUN: bishengir-opt %s --hivm-bind-sub-block --map-for-to-forall --hivm-map-forall-to-blocks | filecheck %s

// Each of the two vector cores takes half of the rows.

// CHECK-LABEL: func.func @kernel_mix_aiv
// CHECK: hivm.hir.get_sub_block_idx
// CHECK-DAG: memref.subview {{.*}} [16, 64] [1, 1]{{.*}} to memref<16x64xf32
// CHECK-DAG: tensor.extract_slice {{.*}} [16, 64] [1, 1]{{.*}} to tensor<16x64xf32>
// CHECK-DAG: hivm.hir.load ins({{.*}} : tensor<16x64xf32>)
// CHECK-DAG: hivm.hir.vexp ins({{.*}} : tensor<16x64xf32>)
// CHECK: hivm.hir.store ins({{.*}} : tensor<16x64xf32>) outs({{.*}} : memref<16x64xf32
func.func @kernel_mix_aiv(%in: memref<32x64xf32>, %out: memref<32x64xf32>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix, mix_mode = "mix"} {
  %t = bufferization.to_tensor %in restrict writable : memref<32x64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %l = hivm.hir.load ins(%t : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %x = hivm.hir.vexp ins(%l : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  hivm.hir.store ins(%x : tensor<32x64xf32>) outs(%out : memref<32x64xf32>)
  return
}
