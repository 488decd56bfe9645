module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @vadd(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf16, #hivm.address_space<gm>>, %arg6: i32, %arg7: i32, %arg8: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, false, false, false]> : vector<9xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.storage_aligned, mix_mode = "aiv"} {
    %c0_i64 = arith.constant 0 : i64
    %c32768_i64 = arith.constant 32768 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %c1_i32 = arith.constant 1 : i32
    %c128_i32 = arith.constant 128 : i32
    %c64_i32 = arith.constant 64 : i32
    %c2_i32 = arith.constant 2 : i32
    %c0_i32 = arith.constant 0 : i32
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %0 = hivm.hir.get_block_idx -> i64
    %1 = arith.trunci %0 : i64 to i32
    %2 = hivm.hir.pointer_cast(%c16384_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %3 = hivm.hir.pointer_cast(%c32768_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %4 = hivm.hir.pointer_cast(%c0_i64) : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>
    %5 = arith.muli %1, %c64_i32 : i32
    %6 = arith.index_cast %5 : i32 to index
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    scf.for %arg9 = %c0_i32 to %c2_i32 step %c1_i32  : i32 {
      %7 = arith.muli %arg9, %c128_i32 : i32
      %8 = arith.index_cast %7 : i32 to index
      %subview = memref.subview %reinterpret_cast[%6, %8] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.load ins(%subview : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>) outs(%2 : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false
      %subview_2 = memref.subview %reinterpret_cast_0[%6, %8] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.load ins(%subview_2 : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>) outs(%3 : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      %collapse_shape = memref.collapse_shape %2 [[0, 1]] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> into memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>
      %collapse_shape_3 = memref.collapse_shape %3 [[0, 1]] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> into memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>
      %collapse_shape_4 = memref.collapse_shape %4 [[0, 1]] : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>> into memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vadd ins(%collapse_shape, %collapse_shape_3 : memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>, memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>) outs(%collapse_shape_4 : memref<8192xf16, strided<[1]>, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      %subview_5 = memref.subview %reinterpret_cast_1[%6, %8] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.store ins(%4 : memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>) outs(%subview_5 : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    }
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

