// RUN: tlcourse opt %s -p 'PlanAndUpdateBufferAllocationLocation' | filecheck %s

// A tile that each turn of a loop fills lies in the loop.

// CHECK-LABEL: func.func @kernel
// CHECK: tl.for
// CHECK: tl.alloc "a"
// CHECK: tl.copy
module {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xf32, #tl.scope<shared>>
      %zero = arith.constant 0 : i32
      %n = arith.constant 4 : i32
      tl.for "serial" %zero to %n {
      ^bb0(%i: i32):
        tl.copy %A, %a : memref<64xf32, #tl.scope<global>> to memref<64xf32, #tl.scope<shared>>
        tl.copy %a, %A : memref<64xf32, #tl.scope<shared>> to memref<64xf32, #tl.scope<global>>
      }
    }
    return
  }
}
