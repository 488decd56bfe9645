// RUN: tlcourse opt %s -p 'LowerNpuirBlock' | filecheck %s

// Tile IR has no shells around blocks: nothing changes.

// CHECK-LABEL: func.func @kernel
// CHECK: tl.kernel
// CHECK: tl.alloc "a"
// CHECK-NEXT: tl.copy
module {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xf32, #tl.scope<shared>>
      tl.copy %A, %a : memref<64xf32, #tl.scope<global>> to memref<64xf32, #tl.scope<shared>>
    }
    return
  }
}
