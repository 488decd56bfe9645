module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<MIX>, memref.memref_as_ptr} {
  func.func @minicv_infer_workspace_shape_function() -> index attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
    %c131072 = arith.constant 131072 : index
    return %c131072 : index
  }
  func.func @minicv_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
    %c32_i8 = arith.constant 32 : i8
    return %c32_i8 : i8
  }
  func.func @minicv_mix_aic(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false]> : vector<10xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %true = arith.constant true
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c128_i32 = arith.constant 128 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c3_i64 = arith.constant 3 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c49152_i64 = arith.constant 49152 : i64
    %c0_i64 = arith.constant 0 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %c65536_i64 = arith.constant 65536 : i64
    %0 = hivm.hir.pointer_cast(%c16384_i64) : memref<16x4x16x16xf16, #hivm.address_space<cbuf>>
    %1 = hivm.hir.pointer_cast(%c65536_i64) : memref<16x4x16x16xf16, #hivm.address_space<cbuf>>
    %2 = hivm.hir.pointer_cast(%c0_i64) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    %3 = hivm.hir.pointer_cast(%c49152_i64) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    hivm.hir.set_ffts_base_addr %arg0
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [256, 128], strides: [128, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<256x128xf16, strided<[128, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [128, 512], strides: [512, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x512xf16, strided<[512, 1]>, #hivm.address_space<gm>>
    %4 = hivm.hir.get_block_idx -> i64
    %5 = arith.trunci %4 : i64 to i32
    %6 = arith.divsi %5, %c2_i32 : i32
    %7 = arith.remsi %5, %c2_i32 : i32
    %8 = arith.muli %6, %c128_i32 : i32
    %9 = arith.muli %7, %c256_i32 : i32
    %10 = arith.index_cast %8 : i32 to index
    %11 = arith.index_cast %9 : i32 to index
    %12 = hivm.hir.pointer_cast(%c0_i64) : memref<16x8x16x16xf32, #hivm.address_space<cc>>
    %cast = memref.cast %12 : memref<16x8x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, #hivm.address_space<cc>>
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID2>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID3>]
    scf.for %arg10 = %c0_i32 to %c2_i32 step %c1_i32  : i32 {
      %16 = arith.index_cast %arg10 : i32 to index
      %c2 = arith.constant 2 : index
      %17 = arith.remsi %16, %c2 : index
      %c0 = arith.constant 0 : index
      %18 = arith.cmpi slt, %17, %c0 : index
      %19 = arith.addi %17, %c2 : index
      %20 = arith.select %18, %19, %17 : index
      %21 = arith.index_cast %20 : index to i64
      %22 = arith.cmpi eq, %21, %c1_i64 : i64
      %23 = arith.select %22, %1, %0 : memref<16x4x16x16xf16, #hivm.address_space<cbuf>>
      %24 = arith.index_cast %arg10 : i32 to index
      %c2_1 = arith.constant 2 : index
      %25 = arith.remsi %24, %c2_1 : index
      %c0_2 = arith.constant 0 : index
      %26 = arith.cmpi slt, %25, %c0_2 : index
      %27 = arith.addi %25, %c2_1 : index
      %28 = arith.select %26, %27, %25 : index
      %29 = arith.index_cast %28 : index to i64
      %30 = arith.cmpi eq, %29, %c1_i64 : i64
      %31 = arith.select %30, %3, %2 : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
      %32 = arith.index_cast %arg10 : i32 to index
      %33 = arith.index_cast %32 : index to i64
      %34 = arith.index_cast %arg10 : i32 to index
      %c2_3 = arith.constant 2 : index
      %35 = arith.remsi %34, %c2_3 : index
      %c0_4 = arith.constant 0 : index
      %36 = arith.cmpi slt, %35, %c0_4 : index
      %37 = arith.addi %35, %c2_3 : index
      %38 = arith.select %36, %37, %35 : index
      %39 = arith.index_cast %38 : index to i1
      %40 = arith.select %39, %c2_i64, %c3_i64 : i64
      %41 = arith.index_cast %38 : index to i1
      %42 = arith.xori %41, %true : i1
      %43 = arith.extui %42 : i1 to i64
      %44 = arith.muli %arg10, %c64_i32 : i32
      %45 = arith.index_cast %44 : i32 to index
      %46 = arith.cmpi eq, %arg10, %c0_i32 : i32
      %subview = memref.subview %reinterpret_cast[%10, %45] [128, 64] [1, 1] : memref<256x128xf16, strided<[128, 1]>, #hivm.address_space<gm>> to memref<128x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>
      %cast_5 = memref.cast %31 : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, %43]
      hivm.hir.nd2nz {dst_continuous} ins(%subview : memref<128x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast_5 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      %subview_6 = memref.subview %reinterpret_cast_0[%45, %11] [64, 256] [1, 1] : memref<128x512xf16, strided<[512, 1]>, #hivm.address_space<gm>> to memref<64x256xf16, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
      %cast_7 = memref.cast %23 : memref<16x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, #hivm.address_space<cbuf>>
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, %40]
      hivm.hir.nd2nz {dst_continuous} ins(%subview_6 : memref<64x256xf16, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>) outs(%cast_7 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID1>]
      hivm.hir.mmadL1 {fixpipe_for_result_already_inserted = true} ins(%cast_5, %cast_7, %46, %c128, %c64, %c256 : memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%cast : memref<?x?x?x?xf32, #hivm.address_space<cc>>) sync_related_args(%c0_i64, %c1_i64, %43, %40, %33, %c-1_i64, %c-1_i64 : i64, i64, i64, i64, i64, i64, i64)
    } {fixpipe_for_mmad_result_already_inserted = true}
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID2>]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID3>]
    hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    %13 = hivm.hir.get_block_idx -> i64
    %14 = arith.index_cast %13 : i64 to index
    %c131072 = arith.constant 131072 : index
    %15 = arith.muli %14, %c131072 : index
    %view = memref.view %arg2[%15][] : memref<?xi8, #hivm.address_space<gm>> to memref<128x256xf32, #hivm.address_space<gm>>
    hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    hivm.hir.fixpipe {enable_nz2nd} ins(%cast : memref<?x?x?x?xf32, #hivm.address_space<cc>>) outs(%view : memref<128x256xf32, #hivm.address_space<gm>>)
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %arg0
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
  func.func @minicv_mix_aiv(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf32, #hivm.address_space<gm>>, %arg6: memref<?xf32, #hivm.address_space<gm>>, %arg7: i32, %arg8: i32, %arg9: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, true, false, false, false]> : vector<10xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix, hivm.storage_aligned, mix_mode = "mix"} {
    %c0_i64 = arith.constant 0 : i64
    %c2_i32 = arith.constant 2 : i32
    %c128_i32 = arith.constant 128 : i32
    %c256_i32 = arith.constant 256 : i32
    %reinterpret_cast = memref.reinterpret_cast %arg5 to offset: [0], sizes: [256, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [256, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %0 = hivm.hir.get_block_idx -> i64
    %1 = arith.trunci %0 : i64 to i32
    %2 = arith.divsi %1, %c2_i32 : i32
    %3 = arith.remsi %1, %c2_i32 : i32
    %4 = arith.muli %2, %c128_i32 : i32
    %5 = arith.muli %3, %c256_i32 : i32
    %6 = arith.index_cast %4 : i32 to index
    %7 = arith.index_cast %5 : i32 to index
    %subview = memref.subview %reinterpret_cast[%6, %7] [128, 256] [1, 1] : memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    %subview_1 = memref.subview %reinterpret_cast_0[%6, %7] [128, 256] [1, 1] : memref<256x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    %8 = hivm.hir.get_sub_block_idx -> i64
    %9 = arith.index_cast %8 : i64 to index
    %c64 = arith.constant 64 : index
    %10 = arith.muli %9, %c64 : index
    hivm.hir.set_ffts_base_addr %arg0
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %11 = hivm.hir.get_block_idx -> i64
    %12 = arith.index_cast %11 : i64 to index
    %c131072 = arith.constant 131072 : index
    %13 = arith.muli %12, %c131072 : index
    %view = memref.view %arg2[%13][] : memref<?xi8, #hivm.address_space<gm>> to memref<128x256xf32, #hivm.address_space<gm>>
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
    %subview_2 = memref.subview %view[%10, 0] [64, 256] [1, 1] {to_be_bubbled_slice} : memref<128x256xf32, #hivm.address_space<gm>> to memref<64x256xf32, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
    %14 = hivm.hir.pointer_cast(%c0_i64) : memref<64x256xf32, #hivm.address_space<ub>>
    %collapse_shape = memref.collapse_shape %subview_2 [[0, 1]] : memref<64x256xf32, strided<[256, 1], offset: ?>, #hivm.address_space<gm>> into memref<16384xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
    %collapse_shape_3 = memref.collapse_shape %14 [[0, 1]] : memref<64x256xf32, #hivm.address_space<ub>> into memref<16384xf32, #hivm.address_space<ub>>
    hivm.hir.load ins(%collapse_shape : memref<16384xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>) outs(%collapse_shape_3 : memref<16384xf32, #hivm.address_space<ub>>) {"inserted-load"} init_out_buffer = false may_implicit_transpose_with_last_axis = false core_type = <VECTOR>
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
    %subview_4 = memref.subview %subview[%10, 0] [64, 256] [1, 1] {to_be_bubbled_slice} : memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>> to memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.store ins(%14 : memref<64x256xf32, #hivm.address_space<ub>>) outs(%subview_4 : memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>) {tiled_op}
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    %15 = hivm.hir.pointer_cast(%c0_i64) : memref<64x256xf32, #hivm.address_space<ub>>
    %collapse_shape_5 = memref.collapse_shape %15 [[0, 1]] : memref<64x256xf32, #hivm.address_space<ub>> into memref<16384xf32, #hivm.address_space<ub>>
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.vexp ins(%collapse_shape_3 : memref<16384xf32, #hivm.address_space<ub>>) outs(%collapse_shape_5 : memref<16384xf32, #hivm.address_space<ub>>)
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    %subview_6 = memref.subview %subview_1[%10, 0] [64, 256] [1, 1] {to_be_bubbled_slice} : memref<128x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>> to memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.store ins(%15 : memref<64x256xf32, #hivm.address_space<ub>>) outs(%subview_6 : memref<64x256xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>) {tiled_op}
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

