module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @vadd_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
    %c10_i8 = arith.constant 10 : i8
    return %c10_i8 : i8
  }
  func.func @vadd(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf16, #hivm.address_space<gm>>, %arg6: i32, %arg7: i32, %arg8: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, false, false, false]> : vector<9xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.storage_aligned, mix_mode = "aiv"} {
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %c128_i32 = arith.constant 128 : i32
    %c1_i32 = arith.constant 1 : i32
    %c1_i64 = arith.constant 1 : i64
    %c32768_i64 = arith.constant 32768 : i64
    %c0_i64 = arith.constant 0 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %c49152_i64 = arith.constant 49152 : i64
    %0 = hivm.hir.pointer_cast(%c16384_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %1 = hivm.hir.pointer_cast(%c49152_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %2 = hivm.hir.pointer_cast(%c16384_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %3 = hivm.hir.pointer_cast(%c49152_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %4 = hivm.hir.pointer_cast(%c0_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %5 = hivm.hir.pointer_cast(%c32768_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [128, 256], strides: [256, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>>
    %6 = hivm.hir.get_block_idx -> i64
    %7 = arith.trunci %6 : i64 to i32
    %8 = arith.muli %7, %c64_i32 : i32
    %9 = arith.index_cast %8 : i32 to index
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %arg9 = %c0_i32 to %c2_i32 step %c1_i32  : i32 {
      %10 = arith.index_cast %arg9 : i32 to index
      %c2 = arith.constant 2 : index
      %11 = arith.remsi %10, %c2 : index
      %c0 = arith.constant 0 : index
      %12 = arith.cmpi slt, %11, %c0 : index
      %13 = arith.addi %11, %c2 : index
      %14 = arith.select %12, %13, %11 : index
      %15 = arith.index_cast %14 : index to i64
      %16 = arith.cmpi eq, %15, %c1_i64 : i64
      %17 = arith.select %16, %1, %0 : memref<64x128xf16, #hivm.address_space<ub>>
      %18 = arith.index_cast %arg9 : i32 to index
      %c2_2 = arith.constant 2 : index
      %19 = arith.remsi %18, %c2_2 : index
      %c0_3 = arith.constant 0 : index
      %20 = arith.cmpi slt, %19, %c0_3 : index
      %21 = arith.addi %19, %c2_2 : index
      %22 = arith.select %20, %21, %19 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.cmpi eq, %23, %c1_i64 : i64
      %25 = arith.select %24, %3, %2 : memref<64x128xf16, #hivm.address_space<ub>>
      %26 = arith.index_cast %arg9 : i32 to index
      %c2_4 = arith.constant 2 : index
      %27 = arith.remsi %26, %c2_4 : index
      %c0_5 = arith.constant 0 : index
      %28 = arith.cmpi slt, %27, %c0_5 : index
      %29 = arith.addi %27, %c2_4 : index
      %30 = arith.select %28, %29, %27 : index
      %31 = arith.index_cast %30 : index to i64
      %32 = arith.cmpi eq, %31, %c1_i64 : i64
      %33 = arith.select %32, %5, %4 : memref<64x128xf16, #hivm.address_space<ub>>
      %34 = arith.index_cast %arg9 : i32 to index
      %c2_6 = arith.constant 2 : index
      %35 = arith.remsi %34, %c2_6 : index
      %c0_7 = arith.constant 0 : index
      %36 = arith.cmpi slt, %35, %c0_7 : index
      %37 = arith.addi %35, %c2_6 : index
      %38 = arith.select %36, %37, %35 : index
      %39 = arith.index_cast %38 : index to i1
      %40 = arith.xori %39, %true : i1
      %41 = arith.extui %40 : i1 to i64
      %42 = arith.muli %arg9, %c128_i32 : i32
      %43 = arith.index_cast %42 : i32 to index
      %subview = memref.subview %reinterpret_cast[%9, %43] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, %41]
      hivm.hir.load ins(%subview : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>) outs(%33 : memref<64x128xf16, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false core_type = <VECTOR>
      %subview_8 = memref.subview %reinterpret_cast_0[%9, %43] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, %41]
      hivm.hir.load ins(%subview_8 : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>) outs(%25 : memref<64x128xf16, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false core_type = <VECTOR>
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      %collapse_shape = memref.collapse_shape %33 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      %collapse_shape_9 = memref.collapse_shape %25 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      %collapse_shape_10 = memref.collapse_shape %17 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vadd ins(%collapse_shape, %collapse_shape_9 : memref<8192xf16, #hivm.address_space<ub>>, memref<8192xf16, #hivm.address_space<ub>>) outs(%collapse_shape_10 : memref<8192xf16, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, %41]
      %subview_11 = memref.subview %reinterpret_cast_1[%9, %43] [64, 128] [1, 1] : memref<128x256xf16, strided<[256, 1]>, #hivm.address_space<gm>> to memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.pipe_barrier[<PIPE_MTE3>]
      hivm.hir.store ins(%17 : memref<64x128xf16, #hivm.address_space<ub>>) outs(%subview_11 : memref<64x128xf16, strided<[256, 1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, %41]
    }
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

