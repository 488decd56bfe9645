module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<MIX>, memref.memref_as_ptr} {
  func.func @minicv_mix_aic(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>>, %arg2: memref<?xi8, #hivm.address_space<gm>>, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false]> : vector<10xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %c-1_i64 = arith.constant -1 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %c1_i32 = arith.constant 1 : i32
    %c256 = arith.constant 256 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [256, 128], strides: [128, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<256x128xf16, strided<[128, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [128, 512], strides: [512, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x512xf16, strided<[512, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [256, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %0 = hivm.hir.get_block_idx -> i64
    %1 = arith.trunci %0 : i64 to i32
    %2 = arith.divsi %1, %c2_i32 : i32
    %3 = arith.remsi %1, %c2_i32 : i32
    %4 = arith.muli %2, %c128_i32 : i32
    %5 = arith.muli %3, %c256_i32 : i32
    %6 = arith.index_cast %4 : i32 to index
    %7 = arith.index_cast %5 : i32 to index
    %8 = hivm.hir.pointer_cast(%c0_i64) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    %cast = memref.cast %8 : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
    %9 = hivm.hir.pointer_cast(%c16384_i64) : memref<16x4x16x16xf16, #hivm.address_space<cbuf>>
    %cast_2 = memref.cast %9 : memref<16x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
    %10 = hivm.hir.pointer_cast(%c0_i64) : memref<16x8x16x16xf32, #hivm.address_space<cc>>
    %cast_3 = memref.cast %10 : memref<16x8x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, #hivm.address_space<cc>>
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %arg10 = %c0_i32 to %c2_i32 step %c1_i32  : i32 {
      %11 = arith.index_cast %arg10 : i32 to index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.muli %arg10, %c64_i32 : i32
      %14 = arith.index_cast %13 : i32 to index
      %15 = arith.cmpi eq, %arg10, %c0_i32 : i32
      %subview_4 = memref.subview %reinterpret_cast[%6, %14] [128, 64] [1, 1] : memref<256x128xf16, strided<[128, 1]>, #hivm.address_space<gm>> to memref<128x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_5 = memref.subview %reinterpret_cast_0[%14, %7] [64, 256] [1, 1] : memref<128x512xf16, strided<[512, 1]>, #hivm.address_space<gm>> to memref<64x256xf16, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.nd2nz {dst_continuous} ins(%subview_4 : memref<128x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
      hivm.hir.nd2nz {dst_continuous} ins(%subview_5 : memref<64x256xf16, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast_2 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID1>]
      hivm.hir.mmadL1 ins(%cast, %cast_2, %15, %c128, %c64, %c256 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%cast_3 : memref<?x?x?x?xf32, #hivm.address_space<cc>>) sync_related_args(%c0_i64, %c1_i64, %c0_i64, %c1_i64, %12, %c-1_i64, %c-1_i64 : i64, i64, i64, i64, i64, i64, i64)
    }
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    %subview = memref.subview %reinterpret_cast_1[%6, %7] [128, 256] [1, 1] : memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    hivm.hir.fixpipe {enable_nz2nd} ins(%cast_3 : memref<?x?x?x?xf32, #hivm.address_space<cc>>) outs(%subview : memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>)
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %arg0 sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
  func.func @minicv_mix_aiv(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>>, %arg2: memref<?xi8, #hivm.address_space<gm>>, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false]> : vector<10xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %c0_i64 = arith.constant 0 : i64
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128_i32 = arith.constant 128 : i32
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg5 to offset: [0], sizes: [256, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [256, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %0 = hivm.hir.get_block_idx -> i64
    %1 = arith.trunci %0 : i64 to i32
    %2 = arith.divsi %1, %c2_i32 : i32
    %3 = arith.remsi %1, %c2_i32 : i32
    %4 = arith.muli %2, %c128_i32 : i32
    %5 = arith.muli %3, %c256_i32 : i32
    %6 = arith.index_cast %5 : i32 to index
    %7 = hivm.hir.get_sub_block_idx -> i64
    %8 = arith.trunci %7 : i64 to i32
    %9 = arith.muli %8, %c64_i32 : i32
    %10 = arith.addi %4, %9 : i32
    %11 = arith.index_cast %10 : i32 to index
    %12 = hivm.hir.pointer_cast(%c0_i64) : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>
    %13 = hivm.hir.pointer_cast(%c0_i64) : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 0
    %subview = memref.subview %reinterpret_cast[%11, %6] [64, 256] [1, 1] : memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    hivm.hir.load ins(%subview : memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>) outs(%12 : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    %collapse_shape = memref.collapse_shape %12 [[0, 1]] : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>> into memref<16384xf32, strided<[1]>, #hivm.address_space<ub>>
    %collapse_shape_1 = memref.collapse_shape %13 [[0, 1]] : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>> into memref<16384xf32, strided<[1]>, #hivm.address_space<ub>>
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.vexp ins(%collapse_shape : memref<16384xf32, strided<[1]>, #hivm.address_space<ub>>) outs(%collapse_shape_1 : memref<16384xf32, strided<[1]>, #hivm.address_space<ub>>)
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    %subview_2 = memref.subview %reinterpret_cast_0[%11, %6] [64, 256] [1, 1] : memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.store ins(%13 : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>) outs(%subview_2 : memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>)
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

