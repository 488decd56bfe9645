// RUN: tlcourse opt %s -p 'NpuLoopVectorize' | filecheck %s

// A loop over the elements of tiles is one operation on the tiles.

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: tl.for
// CHECK: tl.vadd
// CHECK-NOT: tl.store
module attributes {tl.mode = "Expert"} {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xf32, #tl.scope<shared>>
      %b = tl.alloc "b" : memref<64xf32, #tl.scope<shared>>
      %zero = arith.constant 0 : i32
      %n = arith.constant 64 : i32
      tl.for "parallel" %zero to %n {
      ^bb0(%i: i32):
        %x = tl.load %a[%i] : memref<64xf32, #tl.scope<shared>> -> f32
        %y = tl.load %b[%i] : memref<64xf32, #tl.scope<shared>> -> f32
        %s = arith.addf %x, %y : f32
        tl.store %s, %b[%i] : f32, memref<64xf32, #tl.scope<shared>>
      }
    }
    return
  }
}
