module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @vadd(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>>, %arg2: memref<?xi8, #hivm.address_space<gm>>, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf16, #hivm.address_space<gm>>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, false, false, false, false, false]> : vector<11xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.storage_aligned, mix_mode = "aiv"} {
    %c16384_i64 = arith.constant 16384 : i64
    %c0_i64 = arith.constant 0 : i64
    %c32768_i64 = arith.constant 32768 : i64
    %c1_i32 = arith.constant 1 : i32
    %c128_i32 = arith.constant 128 : i32
    %c127_i32 = arith.constant 127 : i32
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %0 = arith.index_cast %arg6 : i32 to index
    %1 = arith.index_cast %arg7 : i32 to index
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %2 = hivm.hir.get_block_idx -> i64
    %3 = arith.trunci %2 : i64 to i32
    %4 = hivm.hir.pointer_cast(%c32768_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %5 = hivm.hir.pointer_cast(%c0_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %6 = hivm.hir.pointer_cast(%c16384_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %7 = arith.muli %3, %c64_i32 : i32
    %8 = arith.index_cast %7 : i32 to index
    %9 = arith.subi %arg6, %7 : i32
    %10 = arith.minsi %9, %c64_i32 : i32
    %11 = arith.index_cast %10 : i32 to index
    %12 = arith.addi %arg7, %c127_i32 : i32
    %13 = arith.divsi %12, %c128_i32 : i32
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    scf.for %arg11 = %c0_i32 to %13 step %c1_i32  : i32 {
      %14 = arith.muli %arg11, %c128_i32 : i32
      %15 = arith.index_cast %14 : i32 to index
      %16 = arith.subi %arg7, %14 : i32
      %17 = arith.minsi %16, %c128_i32 : i32
      %18 = arith.index_cast %17 : i32 to index
      %subview = memref.subview %reinterpret_cast[%8, %15] [%11, %18] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_2 = memref.subview %4[0, 0] [%11, %18] [1, 1] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.load ins(%subview : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%subview_2 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) left_padding_num = %c0 : index init_out_buffer = false may_implicit_transpose_with_last_axis = false
      %subview_3 = memref.subview %reinterpret_cast_0[%8, %15] [%11, %18] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_4 = memref.subview %5[0, 0] [%11, %18] [1, 1] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      hivm.hir.load ins(%subview_3 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%subview_4 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) left_padding_num = %c0 : index init_out_buffer = false may_implicit_transpose_with_last_axis = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      %subview_5 = memref.subview %6[0, 0] [%11, %18] [1, 1] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vadd ins(%subview_2, %subview_4 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) outs(%subview_5 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      %subview_6 = memref.subview %reinterpret_cast_1[%8, %15] [%11, %18] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.store ins(%subview_5 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) outs(%subview_6 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    }
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

