module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<MIX>, memref.memref_as_ptr} {
  func.func @minicv_mix_aic(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>>, %arg2: memref<?xi8, #hivm.address_space<gm>>, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i32, %arg11: i32, %arg12: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false, false, false, false]> : vector<13xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %c-1_i64 = arith.constant -1 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %c1_i32 = arith.constant 1 : i32
    %c63_i32 = arith.constant 63 : i32
    %c255_i32 = arith.constant 255 : i32
    %c64_i32 = arith.constant 64 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %0 = arith.index_cast %arg7 : i32 to index
    %1 = arith.index_cast %arg8 : i32 to index
    %2 = arith.index_cast %arg9 : i32 to index
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%0, %2], strides: [%2, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%2, %1], strides: [%1, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>>
    %3 = hivm.hir.get_block_idx -> i64
    %4 = arith.trunci %3 : i64 to i32
    %5 = arith.addi %arg8, %c255_i32 : i32
    %6 = arith.divsi %5, %c256_i32 : i32
    %7 = arith.addi %arg9, %c63_i32 : i32
    %8 = arith.divsi %7, %c64_i32 : i32
    %9 = arith.divsi %4, %6 : i32
    %10 = arith.remsi %4, %6 : i32
    %11 = arith.muli %9, %c128_i32 : i32
    %12 = arith.muli %10, %c256_i32 : i32
    %13 = arith.index_cast %11 : i32 to index
    %14 = arith.index_cast %12 : i32 to index
    %15 = arith.subi %arg8, %12 : i32
    %16 = arith.minsi %15, %c256_i32 : i32
    %17 = arith.index_cast %16 : i32 to index
    %18 = arith.subi %arg7, %11 : i32
    %19 = arith.minsi %18, %c128_i32 : i32
    %20 = arith.index_cast %19 : i32 to index
    %21 = hivm.hir.pointer_cast(%c0_i64) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    %cast = memref.cast %21 : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
    %22 = hivm.hir.pointer_cast(%c16384_i64) : memref<16x4x16x16xf16, #hivm.address_space<cbuf>>
    %cast_2 = memref.cast %22 : memref<16x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
    %23 = hivm.hir.pointer_cast(%c0_i64) : memref<16x8x16x16xf32, #hivm.address_space<cc>>
    %cast_3 = memref.cast %23 : memref<16x8x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, #hivm.address_space<cc>>
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %arg13 = %c0_i32 to %8 step %c1_i32  : i32 {
      %38 = arith.index_cast %arg13 : i32 to index
      %39 = arith.index_cast %38 : index to i64
      %40 = arith.muli %arg13, %c64_i32 : i32
      %41 = arith.index_cast %40 : i32 to index
      %42 = arith.cmpi eq, %arg13, %c0_i32 : i32
      %43 = arith.subi %arg9, %40 : i32
      %44 = arith.minsi %43, %c64_i32 : i32
      %45 = arith.index_cast %44 : i32 to index
      %subview_10 = memref.subview %reinterpret_cast[%13, %41] [%20, %45] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_11 = memref.subview %reinterpret_cast_0[%41, %14] [%45, %17] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %c15_12 = arith.constant 15 : index
      %46 = arith.addi %20, %c15_12 : index
      %c16_13 = arith.constant 16 : index
      %c0_14 = arith.constant 0 : index
      %c-1_15 = arith.constant -1 : index
      %47 = arith.cmpi slt, %46, %c0_14 : index
      %48 = arith.subi %c-1_15, %46 : index
      %49 = arith.select %47, %48, %46 : index
      %50 = arith.divsi %49, %c16_13 : index
      %51 = arith.subi %c-1_15, %50 : index
      %52 = arith.select %47, %51, %50 : index
      %c15_16 = arith.constant 15 : index
      %53 = arith.addi %45, %c15_16 : index
      %c16_17 = arith.constant 16 : index
      %c0_18 = arith.constant 0 : index
      %c-1_19 = arith.constant -1 : index
      %54 = arith.cmpi slt, %53, %c0_18 : index
      %55 = arith.subi %c-1_19, %53 : index
      %56 = arith.select %54, %55, %53 : index
      %57 = arith.divsi %56, %c16_17 : index
      %58 = arith.subi %c-1_19, %57 : index
      %59 = arith.select %54, %58, %57 : index
      %subview_20 = memref.subview %21[0, 0, 0, 0] [%59, %52, 16, 16] [1, 1, 1, 1] : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x16x16xf16, strided<[2048, 256, 16, 1]>, #hivm.address_space<cbuf>>
      %cast_21 = memref.cast %subview_20 : memref<?x?x16x16xf16, strided<[2048, 256, 16, 1]>, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cbuf>>
      %c15_22 = arith.constant 15 : index
      %60 = arith.addi %17, %c15_22 : index
      %c16_23 = arith.constant 16 : index
      %c0_24 = arith.constant 0 : index
      %c-1_25 = arith.constant -1 : index
      %61 = arith.cmpi slt, %60, %c0_24 : index
      %62 = arith.subi %c-1_25, %60 : index
      %63 = arith.select %61, %62, %60 : index
      %64 = arith.divsi %63, %c16_23 : index
      %65 = arith.subi %c-1_25, %64 : index
      %66 = arith.select %61, %65, %64 : index
      %subview_26 = memref.subview %22[0, 0, 0, 0] [%66, %59, 16, 16] [1, 1, 1, 1] : memref<16x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x16x16xf16, strided<[1024, 256, 16, 1]>, #hivm.address_space<cbuf>>
      %cast_27 = memref.cast %subview_26 : memref<?x?x16x16xf16, strided<[1024, 256, 16, 1]>, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cbuf>>
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.nd2nz {dst_continuous} ins(%subview_10 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast_21 : memref<?x?x?x?xf16, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
      hivm.hir.nd2nz {dst_continuous} ins(%subview_11 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast_27 : memref<?x?x?x?xf16, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID1>]
      hivm.hir.mmadL1 ins(%cast, %cast_2, %42, %20, %45, %17 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%cast_3 : memref<?x?x?x?xf32, #hivm.address_space<cc>>) sync_related_args(%c0_i64, %c1_i64, %c0_i64, %c1_i64, %39, %c-1_i64, %c-1_i64 : i64, i64, i64, i64, i64, i64, i64)
    }
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    %subview = memref.subview %reinterpret_cast_1[%13, %14] [%20, %17] [1, 1] : memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
    %c15 = arith.constant 15 : index
    %24 = arith.addi %20, %c15 : index
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %25 = arith.cmpi slt, %24, %c0 : index
    %26 = arith.subi %c-1, %24 : index
    %27 = arith.select %25, %26, %24 : index
    %28 = arith.divsi %27, %c16 : index
    %29 = arith.subi %c-1, %28 : index
    %30 = arith.select %25, %29, %28 : index
    %c15_4 = arith.constant 15 : index
    %31 = arith.addi %17, %c15_4 : index
    %c16_5 = arith.constant 16 : index
    %c0_6 = arith.constant 0 : index
    %c-1_7 = arith.constant -1 : index
    %32 = arith.cmpi slt, %31, %c0_6 : index
    %33 = arith.subi %c-1_7, %31 : index
    %34 = arith.select %32, %33, %31 : index
    %35 = arith.divsi %34, %c16_5 : index
    %36 = arith.subi %c-1_7, %35 : index
    %37 = arith.select %32, %36, %35 : index
    %subview_8 = memref.subview %23[0, 0, 0, 0] [%37, %30, 16, 16] [1, 1, 1, 1] : memref<16x8x16x16xf32, #hivm.address_space<cc>> to memref<?x?x16x16xf32, strided<[2048, 256, 16, 1]>, #hivm.address_space<cc>>
    %cast_9 = memref.cast %subview_8 : memref<?x?x16x16xf32, strided<[2048, 256, 16, 1]>, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cc>>
    hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    hivm.hir.fixpipe {enable_nz2nd} ins(%cast_9 : memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #hivm.address_space<cc>>) outs(%subview : memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>)
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %arg0 sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
  func.func @minicv_mix_aiv(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>>, %arg2: memref<?xi8, #hivm.address_space<gm>>, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i32, %arg11: i32, %arg12: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false, false, false, false]> : vector<13xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %c65536_i64 = arith.constant 65536 : i64
    %c0_i64 = arith.constant 0 : i64
    %c255_i32 = arith.constant 255 : i32
    %c64_i32 = arith.constant 64 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %0 = arith.index_cast %arg7 : i32 to index
    %1 = arith.index_cast %arg8 : i32 to index
    %reinterpret_cast = memref.reinterpret_cast %arg5 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%0, %1], strides: [%1, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>>
    %2 = hivm.hir.get_block_idx -> i64
    %3 = arith.trunci %2 : i64 to i32
    %4 = arith.addi %arg8, %c255_i32 : i32
    %5 = arith.divsi %4, %c256_i32 : i32
    %6 = arith.divsi %3, %5 : i32
    %7 = arith.remsi %3, %5 : i32
    %8 = arith.muli %6, %c128_i32 : i32
    %9 = arith.muli %7, %c256_i32 : i32
    %10 = arith.index_cast %9 : i32 to index
    %11 = arith.subi %arg8, %9 : i32
    %12 = arith.minsi %11, %c256_i32 : i32
    %13 = arith.index_cast %12 : i32 to index
    %14 = hivm.hir.get_sub_block_idx -> i64
    %15 = arith.trunci %14 : i64 to i32
    %16 = arith.muli %15, %c64_i32 : i32
    %17 = arith.addi %8, %16 : i32
    %18 = arith.index_cast %17 : i32 to index
    %19 = hivm.hir.pointer_cast(%c0_i64) : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>
    %20 = hivm.hir.pointer_cast(%c65536_i64) : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>>
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 0
    %21 = arith.subi %arg7, %17 : i32
    %22 = arith.minsi %21, %c64_i32 : i32
    %23 = arith.maxsi %22, %c0_i32 : i32
    %24 = arith.index_cast %23 : i32 to index
    %25 = arith.cmpi sgt, %23, %c0_i32 : i32
    scf.if %25 {
      %subview = memref.subview %reinterpret_cast[%18, %10] [%24, %13] [1, 1] : memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_1 = memref.subview %19[0, 0] [%24, %13] [1, 1] : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>
      %subview_2 = memref.subview %20[0, 0] [%24, %13] [1, 1] : memref<64x256xf32, strided<[256, 1]>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>
      hivm.hir.load ins(%subview : memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%subview_1 : memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>) left_padding_num = %c0 : index init_out_buffer = false may_implicit_transpose_with_last_axis = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vexp ins(%subview_1 : memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>) outs(%subview_2 : memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      %subview_3 = memref.subview %reinterpret_cast_0[%18, %10] [%24, %13] [1, 1] : memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.store ins(%subview_2 : memref<?x?xf32, strided<[256, 1]>, #hivm.address_space<ub>>) outs(%subview_3 : memref<?x?xf32, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>)
    }
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

