// RUN: tlcourse opt %s -p 'hivm-add-ffts-to-syncblocksetop' | filecheck %s
// RUN: bishengir-opt %s --hivm-add-ffts-to-syncblocksetop | filecheck %s

// A flag between cores is set through the address that the launcher gives.

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: (%[[FFTS:[a-z0-9]+]]: i64
// CHECK: sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %[[FFTS]]
func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>})
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0
  return
}
