// RUN: tlcourse opt %s -p 'BindTarget' | filecheck %s

// The kernel function learns mode and target.

// CHECK: func.func @kernel
// CHECK-SAME: attributes {tl.mode = "Expert", tl.target = "npuir"}
module attributes {tl.mode = "Expert", tl.target = "npuir"} {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
    }
    return
  }
}
