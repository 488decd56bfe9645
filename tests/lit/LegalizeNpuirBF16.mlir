// RUN: tlcourse opt %s -p 'LegalizeNpuirBF16' | filecheck %s

// Arithmetic on bfloat16 is done in float32.

// CHECK-LABEL: func.func @kernel
// CHECK: tl.vcast
// CHECK: tl.vadd {{.*}}xf32
// CHECK: tl.vcast
module {
  func.func @kernel(%A: memref<64xf32, #tl.scope<global>> {tl.name = "A", tl.dtype = "float32", tl.kind = "tensor", tl.extents = ["64"]}) {
    %one = arith.constant 1 : i32
    tl.kernel(%one) {
    ^bb0(%cid: i32, %vid: i32):
      %a = tl.alloc "a" : memref<64xbf16, #tl.scope<shared>>
      tl.vadd ins(%a, %a : memref<64xbf16, #tl.scope<shared>>, memref<64xbf16, #tl.scope<shared>>)
          outs(%a : memref<64xbf16, #tl.scope<shared>>)
    }
    return
  }
}
