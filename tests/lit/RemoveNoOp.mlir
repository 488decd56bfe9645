// RUN: tlcourse opt %s -p 'RemoveNoOp' | filecheck %s

// A loop without a body goes.

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: tl.for
// CHECK: tl.copy
module {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xf32, #tl.scope<shared>>
      %four = arith.constant 4 : i32
      tl.for "serial" %one to %four {
      ^bb0(%i: i32):
      }
      tl.copy %A, %a : memref<64xf32, #tl.scope<global>> to memref<64xf32, #tl.scope<shared>>
    }
    return
  }
}
