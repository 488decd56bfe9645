module attributes {hacc.hivmc_compatible_print = true, hacc.hivmc_version = #hacc.hivmc_version<"0.0.0">, hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @vadd_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
    %c10_i8 = arith.constant 10 : i8
    return %c10_i8 : i8
  }
  func.func @vadd(%arg0: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %arg1: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}, %arg2: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %arg3: memref<?xf16, #hivm.address_space<gm>>, %arg4: memref<?xf16, #hivm.address_space<gm>>, %arg5: memref<?xf16, #hivm.address_space<gm>>, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, func_dyn_memref_args = dense<[false, true, true, true, true, true, false, false, false, false, false]> : vector<11xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.storage_aligned, mix_mode = "aiv"} {
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %c127_i32 = arith.constant 127 : i32
    %c128_i32 = arith.constant 128 : i32
    %c1_i32 = arith.constant 1 : i32
    %c16384_i64 = arith.constant 16384 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c32768_i64 = arith.constant 32768 : i64
    %c49152_i64 = arith.constant 49152 : i64
    %0 = hivm.hir.pointer_cast(%c32768_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %1 = hivm.hir.pointer_cast(%c49152_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    hivm.hir.set_mask_norm
    hivm.hir.set_ffts_base_addr %arg0
    %2 = arith.index_cast %arg6 : i32 to index
    %3 = arith.index_cast %arg7 : i32 to index
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%2, %3], strides: [%3, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_0 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%2, %3], strides: [%3, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %reinterpret_cast_1 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [%2, %3], strides: [%3, 1] : memref<?xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>>
    %4 = hivm.hir.get_block_idx -> i64
    %5 = arith.trunci %4 : i64 to i32
    %6 = arith.muli %5, %c64_i32 : i32
    %7 = arith.index_cast %6 : i32 to index
    %8 = arith.subi %arg6, %6 : i32
    %9 = arith.minsi %8, %c64_i32 : i32
    %10 = arith.index_cast %9 : i32 to index
    %11 = arith.addi %arg7, %c127_i32 : i32
    %12 = arith.divsi %11, %c128_i32 : i32
    %13 = hivm.hir.pointer_cast(%c16384_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    %14 = hivm.hir.pointer_cast(%c0_i64) : memref<64x128xf16, #hivm.address_space<ub>>
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID1>]
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    scf.for %arg11 = %c0_i32 to %12 step %c1_i32  : i32 {
      %15 = arith.index_cast %arg11 : i32 to index
      %c2 = arith.constant 2 : index
      %16 = arith.remsi %15, %c2 : index
      %c0 = arith.constant 0 : index
      %17 = arith.cmpi slt, %16, %c0 : index
      %18 = arith.addi %16, %c2 : index
      %19 = arith.select %17, %18, %16 : index
      %20 = arith.index_cast %19 : index to i64
      %21 = arith.cmpi eq, %20, %c1_i64 : i64
      %22 = arith.select %21, %1, %0 : memref<64x128xf16, #hivm.address_space<ub>>
      %23 = arith.index_cast %arg11 : i32 to index
      %c2_2 = arith.constant 2 : index
      %24 = arith.remsi %23, %c2_2 : index
      %c0_3 = arith.constant 0 : index
      %25 = arith.cmpi slt, %24, %c0_3 : index
      %26 = arith.addi %24, %c2_2 : index
      %27 = arith.select %25, %26, %24 : index
      %28 = arith.index_cast %27 : index to i1
      %29 = arith.xori %28, %true : i1
      %30 = arith.extui %29 : i1 to i64
      %31 = arith.muli %arg11, %c128_i32 : i32
      %32 = arith.index_cast %31 : i32 to index
      %33 = arith.subi %arg7, %31 : i32
      %34 = arith.minsi %33, %c128_i32 : i32
      %35 = arith.index_cast %34 : i32 to index
      %subview = memref.subview %reinterpret_cast[%7, %32] [%10, %35] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_4 = memref.subview %13[0, 0] [%10, %35] [1, 1] : memref<64x128xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.load ins(%subview : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%subview_4 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false
      %subview_5 = memref.subview %reinterpret_cast_0[%7, %32] [%10, %35] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      %subview_6 = memref.subview %14[0, 0] [%10, %35] [1, 1] : memref<64x128xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      hivm.hir.load ins(%subview_5 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>) outs(%subview_6 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = false
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      %collapse_shape = memref.collapse_shape %13 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      %collapse_shape_7 = memref.collapse_shape %14 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      %collapse_shape_8 = memref.collapse_shape %22 [[0, 1]] : memref<64x128xf16, #hivm.address_space<ub>> into memref<8192xf16, #hivm.address_space<ub>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, %30]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vadd ins(%collapse_shape, %collapse_shape_7 : memref<8192xf16, #hivm.address_space<ub>>, memref<8192xf16, #hivm.address_space<ub>>) outs(%collapse_shape_8 : memref<8192xf16, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
      %subview_9 = memref.subview %22[0, 0] [%10, %35] [1, 1] : memref<64x128xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>
      %subview_10 = memref.subview %reinterpret_cast_1[%7, %32] [%10, %35] [1, 1] : memref<?x?xf16, strided<[?, 1]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.pipe_barrier[<PIPE_MTE3>]
      hivm.hir.store ins(%subview_9 : memref<?x?xf16, strided<[128, 1]>, #hivm.address_space<ub>>) outs(%subview_10 : memref<?x?xf16, strided<[?, 1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, %30]
    }
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID1>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}

