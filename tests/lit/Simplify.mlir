// RUN: tlcourse opt %s -p 'Simplify' | filecheck %s

// Index arithmetic on constants is done.

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: arith.muli
// CHECK: %[[C:.*]] = arith.constant 12 : i32
// CHECK: tl.load %{{.*}}[%[[C]]]
module {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xf32, #tl.scope<shared>>
      %three = arith.constant 3 : i32
      %four = arith.constant 4 : i32
      %i = arith.muli %three, %four : i32
      %x = tl.load %a[%i] : memref<64xf32, #tl.scope<shared>> -> f32
      tl.store %x, %a[%one] : f32, memref<64xf32, #tl.scope<shared>>
    }
    return
  }
}
