// RUN: tlcourse opt %s -p 'hivm-init-entry-kernel' | filecheck %s
// RUN: bishengir-opt %s --hivm-init-entry-kernel | filecheck %s

// A kernel begins by setting the vector mask; other functions do not.

// CHECK-LABEL: func.func @kernel
// CHECK-NEXT: hivm.hir.set_mask_norm
// CHECK-LABEL: func.func @other
// CHECK-NOT: hivm.hir.set_mask_norm
func.func @kernel(%a: memref<16xf32, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  return
}
func.func @other(%a: memref<16xf32, #hivm.address_space<gm>>) attributes {hacc.function_kind = #hacc.function_kind<DEVICE>} {
  return
}
