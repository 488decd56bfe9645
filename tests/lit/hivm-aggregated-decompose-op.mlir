// RUN: tlcourse opt %s -p 'hivm-aggregated-decompose-op' | filecheck %s
// RUN: bishengir-opt %s --hivm-aggregated-decompose-op="decompose-phase=after-hivm-align" | filecheck %s

// Tiles are joined by copies into parts of the result.

// CHECK-LABEL: func.func @join
// CHECK: memref.subview {{.*}} to memref<16x16xf32, strided<[32, 1]>
// CHECK: hivm.hir.copy
// CHECK: memref.subview {{.*}} to memref<16x16xf32, strided<[32, 1], offset: 16>
// CHECK: hivm.hir.copy
// CHECK-NOT: hivm.hir.vconcat
func.func @join(%a: memref<16x16xf32, #hivm.address_space<ub>>, %b: memref<16x16xf32, #hivm.address_space<ub>>,
    %c: memref<16x32xf32, #hivm.address_space<ub>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  hivm.hir.vconcat dim(1) ins(%a, %b : memref<16x16xf32, #hivm.address_space<ub>>,
      memref<16x16xf32, #hivm.address_space<ub>>) outs(%c : memref<16x32xf32, #hivm.address_space<ub>>)
  return
}
