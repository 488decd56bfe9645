// RUN: tlcourse opt %s -p 'hivm-inject-sync' | filecheck %s
// RUN: bishengir-opt %s --hivm-inject-sync | filecheck %s

// Pipes that share bytes wait for each other by flags.

// CHECK-LABEL: func.func @chain
// CHECK: hivm.hir.load
// CHECK-NEXT: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <[[A:EVENT_ID[0-7]]]>]
// CHECK-NEXT: hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <[[A]]>]
// CHECK-NEXT: hivm.hir.vexp
// CHECK-NEXT: hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <[[B:EVENT_ID[0-7]]]>]
// CHECK-NEXT: hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <[[B]]>]
// CHECK-NEXT: hivm.hir.store
// CHECK-NEXT: hivm.hir.pipe_barrier[<PIPE_ALL>]
func.func @chain(%in: memref<64xf32, #hivm.address_space<gm>>, %out: memref<64xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %a = hivm.hir.pointer_cast(%c0) : memref<64xf32, #hivm.address_space<ub>>
  %b = hivm.hir.pointer_cast(%c256) : memref<64xf32, #hivm.address_space<ub>>
  hivm.hir.load ins(%in : memref<64xf32, #hivm.address_space<gm>>) outs(%a : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.vexp ins(%a : memref<64xf32, #hivm.address_space<ub>>) outs(%b : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.store ins(%b : memref<64xf32, #hivm.address_space<ub>>) outs(%out : memref<64xf32, #hivm.address_space<gm>>)
  return
}

// CHECK-LABEL: func.func @same_pipe
// CHECK: hivm.hir.vexp
// CHECK-NEXT: hivm.hir.pipe_barrier[<PIPE_V>]
// CHECK-NEXT: hivm.hir.vexp
func.func @same_pipe() attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : i64
  %a = hivm.hir.pointer_cast(%c0) : memref<64xf32, #hivm.address_space<ub>>
  hivm.hir.vexp ins(%a : memref<64xf32, #hivm.address_space<ub>>) outs(%a : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.vexp ins(%a : memref<64xf32, #hivm.address_space<ub>>) outs(%a : memref<64xf32, #hivm.address_space<ub>>)
  return
}
