module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @softmax_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
    %c10_i8 = arith.constant 10 : i8
    return %c10_i8 : i8
  }
  func.func @softmax(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf32, #hivm.address_space<gm>>, %arg4: memref<?xf32, #hivm.address_space<gm>>, %arg5: i32, %arg6: i32, %arg7: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, false, false, false]> : vector<8xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.storage_aligned, mix_mode = "aiv"} {
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %c8_i32 = arith.constant 8 : i32
    %c1_i32 = arith.constant 1 : i32
    %c16384_i64 = arith.constant 16384 : i64
    %c16416_i64 = arith.constant 16416 : i64
    %c24608_i64 = arith.constant 24608 : i64
    %c24864_i64 = arith.constant 24864 : i64
    %c24896_i64 = arith.constant 24896 : i64
    %c33088_i64 = arith.constant 33088 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c33344_i64 = arith.constant 33344 : i64
    %0 = hivm.hir.pointer_cast(%c0_i64) : memref<8x512xf32, #hivm.address_space<ub>>
    %1 = hivm.hir.pointer_cast(%c33344_i64) : memref<8x512xf32, #hivm.address_space<ub>>
    %2 = hivm.hir.pointer_cast(%c0_i64) : memref<8x512xf32, #hivm.address_space<ub>>
    %3 = hivm.hir.pointer_cast(%c33344_i64) : memref<8x512xf32, #hivm.address_space<ub>>
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [64, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<64x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [64, 512], strides: [512, 1] : memref<?xf32, #hivm.address_space<gm>> to memref<64x512xf32, strided<[512, 1]>, #hivm.address_space<gm>>
    %4 = hivm.hir.get_block_idx -> i64
    %5 = arith.trunci %4 : i64 to i32
    %6 = arith.muli %5, %c4_i32 : i32
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %arg8 = %c0_i32 to %c4_i32 step %c1_i32  : i32 {
      %7 = arith.index_cast %arg8 : i32 to index
      %c2 = arith.constant 2 : index
      %8 = arith.remsi %7, %c2 : index
      %c0 = arith.constant 0 : index
      %9 = arith.cmpi slt, %8, %c0 : index
      %10 = arith.addi %8, %c2 : index
      %11 = arith.select %9, %10, %8 : index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.cmpi eq, %12, %c1_i64 : i64
      %14 = arith.select %13, %1, %0 : memref<8x512xf32, #hivm.address_space<ub>>
      %15 = arith.index_cast %arg8 : i32 to index
      %c2_1 = arith.constant 2 : index
      %16 = arith.remsi %15, %c2_1 : index
      %c0_2 = arith.constant 0 : index
      %17 = arith.cmpi slt, %16, %c0_2 : index
      %18 = arith.addi %16, %c2_1 : index
      %19 = arith.select %17, %18, %16 : index
      %20 = arith.index_cast %19 : index to i64
      %21 = arith.cmpi eq, %20, %c1_i64 : i64
      %22 = arith.select %21, %3, %2 : memref<8x512xf32, #hivm.address_space<ub>>
      %23 = arith.index_cast %arg8 : i32 to index
      %c2_3 = arith.constant 2 : index
      %24 = arith.remsi %23, %c2_3 : index
      %c0_4 = arith.constant 0 : index
      %25 = arith.cmpi slt, %24, %c0_4 : index
      %26 = arith.addi %24, %c2_3 : index
      %27 = arith.select %25, %26, %24 : index
      %28 = arith.index_cast %27 : index to i1
      %29 = arith.xori %28, %true : i1
      %30 = arith.extui %29 : i1 to i64
      %31 = arith.addi %6, %arg8 : i32
      %32 = arith.muli %31, %c8_i32 : i32
      %33 = arith.index_cast %32 : i32 to index
      %subview = memref.subview %reinterpret_cast[%33, 0] [8, 512] [1, 1] : memref<64x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<8x512xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
      %collapse_shape = memref.collapse_shape %subview [[0, 1]] : memref<8x512xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>> into memref<4096xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
      %collapse_shape_5 = memref.collapse_shape %22 [[0, 1]] : memref<8x512xf32, #hivm.address_space<ub>> into memref<4096xf32, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, %30]
      hivm.hir.load ins(%collapse_shape : memref<4096xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>) outs(%collapse_shape_5 : memref<4096xf32, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false core_type = <VECTOR>
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      %34 = hivm.hir.pointer_cast(%c16384_i64) : memref<8x1xf32, #hivm.address_space<ub>>
      %35 = hivm.hir.pointer_cast(%c16416_i64) : memref<2048xf32, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vreduce <max> ins(%22 : memref<8x512xf32, #hivm.address_space<ub>>) outs(%34 : memref<8x1xf32, #hivm.address_space<ub>>) temp_buffer(%35 : memref<2048xf32, #hivm.address_space<ub>>) reduce_dims = [1]
      %36 = hivm.hir.pointer_cast(%c24608_i64) : memref<64xf32, #hivm.address_space<ub>>
      hivm.hir.pipe_barrier[<PIPE_V>]
      hivm.hir.vsub ins(%22, %34 : memref<8x512xf32, #hivm.address_space<ub>>, memref<8x1xf32, #hivm.address_space<ub>>) outs(%22 : memref<8x512xf32, #hivm.address_space<ub>>) temp_buffer(%36 : memref<64xf32, #hivm.address_space<ub>>) broadcast = [1]
      %collapse_shape_6 = memref.collapse_shape %22 [[0, 1]] : memref<8x512xf32, #hivm.address_space<ub>> into memref<4096xf32, #hivm.address_space<ub>>
      %collapse_shape_7 = memref.collapse_shape %22 [[0, 1]] : memref<8x512xf32, #hivm.address_space<ub>> into memref<4096xf32, #hivm.address_space<ub>>
      hivm.hir.pipe_barrier[<PIPE_V>]
      hivm.hir.vexp ins(%collapse_shape_6 : memref<4096xf32, #hivm.address_space<ub>>) outs(%collapse_shape_7 : memref<4096xf32, #hivm.address_space<ub>>)
      %37 = hivm.hir.pointer_cast(%c24864_i64) : memref<8x1xf32, #hivm.address_space<ub>>
      %38 = hivm.hir.pointer_cast(%c24896_i64) : memref<2048xf32, #hivm.address_space<ub>>
      hivm.hir.pipe_barrier[<PIPE_V>]
      hivm.hir.vreduce <sum> ins(%22 : memref<8x512xf32, #hivm.address_space<ub>>) outs(%37 : memref<8x1xf32, #hivm.address_space<ub>>) temp_buffer(%38 : memref<2048xf32, #hivm.address_space<ub>>) reduce_dims = [1]
      %39 = hivm.hir.pointer_cast(%c33088_i64) : memref<64xf32, #hivm.address_space<ub>>
      hivm.hir.pipe_barrier[<PIPE_V>]
      hivm.hir.vdiv ins(%22, %37 : memref<8x512xf32, #hivm.address_space<ub>>, memref<8x1xf32, #hivm.address_space<ub>>) outs(%14 : memref<8x512xf32, #hivm.address_space<ub>>) temp_buffer(%39 : memref<64xf32, #hivm.address_space<ub>>) broadcast = [1]
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      %subview_8 = memref.subview %reinterpret_cast_0[%33, 0] [8, 512] [1, 1] : memref<64x512xf32, strided<[512, 1]>, #hivm.address_space<gm>> to memref<8x512xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>>
      %collapse_shape_9 = memref.collapse_shape %14 [[0, 1]] : memref<8x512xf32, #hivm.address_space<ub>> into memref<4096xf32, #hivm.address_space<ub>>
      %collapse_shape_10 = memref.collapse_shape %subview_8 [[0, 1]] : memref<8x512xf32, strided<[512, 1], offset: ?>, #hivm.address_space<gm>> into memref<4096xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.pipe_barrier[<PIPE_MTE3>]
      hivm.hir.store ins(%collapse_shape_9 : memref<4096xf32, #hivm.address_space<ub>>) outs(%collapse_shape_10 : memref<4096xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, %30]
    }
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

