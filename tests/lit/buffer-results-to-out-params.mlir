// RUN: tlcourse opt %s -p 'buffer-results-to-out-params' | filecheck %s
// RUN: bishengir-opt %s --buffer-results-to-out-params | filecheck %s

// A returned buffer becomes a parameter that it is copied into; a number stays a result.

// CHECK-LABEL: func.func @fill
// CHECK-SAME: (%{{[a-z0-9]+}}: f32, %[[OUT:[a-z0-9]+]]: memref<8xf32>) -> f32
// CHECK: %[[M:.*]] = memref.alloc() : memref<8xf32>
// CHECK: memref.copy %[[M]], %[[OUT]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: return %{{[a-z0-9]+}} : f32
func.func @fill(%x: f32) -> (memref<8xf32>, f32) {
  %m = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
  return %m, %x : memref<8xf32>, f32
}
