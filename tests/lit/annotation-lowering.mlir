// RUN: tlcourse opt %s -p 'annotation-lowering' | filecheck %s
// RUN: bishengir-opt %s --annotation-lowering | filecheck %s

// Marks spoke to earlier passes only.

// CHECK-LABEL: func.func @marks_go
// CHECK-NOT: annotation.mark
// CHECK: return
func.func @marks_go(%a: memref<16xf32>) -> memref<16xf32> {
  annotation.mark %a {hivm.multi_buffer = 2 : i32} : memref<16xf32>
  return %a : memref<16xf32>
}
