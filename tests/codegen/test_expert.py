from __future__ import annotations

import tlcourse.language as T

_F32 = "float32"


def test_vadd_is_two_loads_an_add_and_a_store(lower):
    @T.prim_func
    def vadd(
        A: T.Tensor((64, 1024), "float16"),
        B: T.Tensor((64, 1024), "float16"),
        C: T.Tensor((64, 1024), "float16"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), "float16")
            b = T.alloc_ub((64, 128), "float16")
            c = T.alloc_ub((64, 128), "float16")
            for j in T.serial(8):
                T.copy(A[:, j * 128 : (j + 1) * 128], a)
                T.copy(B[:, j * 128 : (j + 1) * 128], b)
                T.vadd(a, b, c)
                T.copy(c, C[:, j * 128 : (j + 1) * 128])

    generated = lower(vadd, "Expert")
    counts = generated.counts
    assert counts["memref.alloc"] == 3
    assert (counts["memref.copy"], counts["memref.subview"]) == (3, 3)
    assert generated.lines("hivm.hir.vadd") == ["hivm.hir.vadd ins(%a, %b"]
    tile = "memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>"
    assert f"hivm.hir.vadd ins(%a, %b : {tile}, {tile}) outs(%c : {tile})\n" in generated.text
    assert "scf.for %j = %c0 to %c8 step" in generated.text


def test_minicv_uses_the_paths_of_both_cores(lower, minicv):
    cube, vector = (
        [op.name for op in function.walk()]
        for function in lower(minicv("Expert"), "Expert").functions
    )
    assert [cube.count(f"hivm.hir.{name}") for name in ("nd2nz", "mmadL1", "fixpipe")] == [2, 1, 1]
    assert cube.count("hivm.hir.vexp") == cube.count("memref.copy") == 0
    assert [vector.count(name) for name in ("memref.copy", "hivm.hir.vexp")] == [2, 1]
    assert "hivm.hir.mmadL1" not in vector
    assert "hivm.hir.get_sub_block_idx" in vector
    assert "hivm.hir.get_sub_block_idx" not in cube


def test_minicv_hands_over_by_a_flag(lower, minicv):
    text = lower(minicv("Expert"), "Expert").text
    mode = "sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>"
    assert f"hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 {mode}\n" in text
    assert "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 0\n" in text


def test_mmad_gets_the_sizes_that_count(lower):
    @T.prim_func
    def rest(A: T.Tensor((100, 64), "float16"), B: T.Tensor((48, 64), "float16"), k: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((128, 64), "float16")
            b = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((128, 64), _F32)
            T.copy(A[0:100, 0:k], a[0:100, 0:k])
            T.copy(B[0:48, 0:k], b[0:48, 0:k])
            T.gemm(a[0:100, 0:k], b[0:48, 0:k], c[0:100, 0:48], initC=True, b_transpose=True)

    generated = lower(rest, "Expert")
    (line,) = generated.lines("hivm.hir.mmadL1")
    assert line.startswith("hivm.hir.mmadL1 {b_transpose} ins(%a, %b, ")
    m, k, n = line.split("(")[1].split(", ")[3:]
    text = generated.text
    assert f"{m} = arith.constant 100 : index" in text
    assert f"{k} = arith.index_cast %k : i32 to index" in text
    assert f"{n} = arith.constant 48 : index" in text


def test_a_factor_out_of_a_stack_is_a_matrix(lower):
    @T.prim_func
    def stack(A: T.Tensor((32, 64), "float16")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_L1((2, 32, 64), "float16")
            b = T.alloc_L1((64, 32), "float16")
            c = T.alloc_L0C((32, 32), _F32)
            T.copy(A, a[cid % 2, :, :])
            T.gemm(a[cid % 2, :, :], b, c, initC=True)

    text = lower(stack, "Expert").text
    matrix = "memref<32x64xf16, strided<[64, 1], offset: ?>, #hivm.address_space<cbuf>>"
    assert text.count(f"to {matrix}") == 2


def test_l0c_leaves_with_the_conversion_of_its_dtypes(lower):
    def kernel(dtype):
        @T.prim_func
        def out(C: T.Tensor((32, 32), dtype)):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_L1((32, 32), "float16")
                b = T.alloc_L1((32, 32), "float16")
                c = T.alloc_L0C((32, 32), _F32)
                T.gemm(a, b, c, initC=True)
                T.copy(c, C)

        return out

    word = "pre_quant = #hivm.fixpipe_pre_quant_mode<{}>"
    assert word.format("F322F16") in lower(kernel("float16"), "Expert").text
    assert word.format("F322BF16") in lower(kernel("bfloat16"), "Expert").text
    assert "pre_quant" not in lower(kernel(_F32), "Expert").text


def test_fractal_moves_keep_rows_and_columns_in_gm(lower):
    @T.prim_func
    def rows(A: T.Tensor((4, 1, 64), "float16")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_L1((64,), "float16")
            T.copy(A[cid, 0, :], a)

    assert "to memref<1x64xf16, strided<[64, 1], offset: ?>" in lower(rows, "Expert").text


def test_dimensions_of_extent_one_are_left_out_where_ranks_differ(lower):
    @T.prim_func
    def ranks(A: T.Tensor((4, 64, 128), "float16"), C: T.Tensor((4, 64), "float16")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((64, 128), "float16")
            q = T.alloc_ub((1, 64), "float16")
            T.copy(A[cid, :, :], a)
            T.copy(C[cid, :], q)

    copies = [line for line in lower(ranks, "Expert").text.splitlines() if "memref.copy" in line]
    gm = "offset: ?>, #hivm.address_space<gm>>"
    assert f"memref<64x128xf16, strided<[128, 1], {gm} to memref<64x128xf16" in copies[0]
    assert f"memref<1x64xf16, strided<[64, 1], {gm} to memref<1x64xf16" in copies[1]


def test_tails_are_parts_of_both_sides(lower):
    @T.prim_func
    def tail(A: T.Tensor((100, 128), _F32), C: T.Tensor((100, 128), _F32)):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_ub((64, 128), _F32)
            m = T.min(64, 100 - cid * 64)
            T.copy(A[cid * 64 : cid * 64 + m, :], a[0:m, :])
            T.copy(a[0:m, :], C[cid * 64 : cid * 64 + m, :])

    text = lower(tail, "Expert").text
    assert "memref.subview %a[0, 0] [" in text
    assert "to memref<?x128xf32, strided<[128, 1]>, #hivm.address_space<ub>>" in text


def test_sources_are_repeated_along_their_dimensions_of_extent_one(lower):
    @T.prim_func
    def repeat(C: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            column = T.alloc_ub((64, 1), _F32)
            row = T.alloc_ub((1, 128), _F32)
            c = T.alloc_ub((64, 128), _F32)
            T.vadd(column, row, c)
            T.vmul(c, column, c)
            T.vsub(c, c, c)
            T.vmax(column, column, column)
            T.vbrc(row, c)
            T.vbrc(c, c)

    generated = lower(repeat, "Expert")
    lines = {
        line.split()[0]: line
        for line in map(str.strip, generated.text.splitlines())
        if line.startswith("hivm.hir.v")
    }
    assert lines["hivm.hir.vadd"].endswith(" broadcast = [0, 1]")
    assert lines["hivm.hir.vmul"].endswith(" broadcast = [1]")
    assert "broadcast" not in lines["hivm.hir.vsub"]
    assert "broadcast" not in lines["hivm.hir.vmax"]
    assert lines["hivm.hir.vbrc"].endswith(" broadcast_dims = [0]")
    assert generated.counts["hivm.hir.vbrc"] == generated.counts["memref.copy"] == 1


def test_a_scalar_takes_the_tiles_dtype(lower):
    @T.prim_func
    def scalars(C: T.Tensor((64, 128), "float16"), n: T.int32, x: T.float32):
        with T.Kernel(1, is_npu=True) as (cid, _):
            c = T.alloc_ub((64, 128), "float16")
            T.vadd(c, 2, c)
            T.vadd(c, n, c)
            T.vadd(c, x, c)
            T.vmax(c, cid, c)

    text = lower(scalars, "Expert").text
    assert text.count("#hivm.address_space<ub>>, f16) outs(%c") == 4
    assert "arith.constant 2.000000e+00 : f16" in text
    assert "arith.sitofp %n : i32 to f16" in text
    assert "arith.truncf %x : f32 to f16" in text


def test_casts_name_their_rounding(lower):
    @T.prim_func
    def casts(C: T.Tensor((64, 128), "int32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            b = T.alloc_ub((64, 128), "int32")
            T.vcast(a, b, round_mode="floor")

    assert "round_mode = <floor>" in lower(casts, "Expert").text


def test_branches_and_loops_have_no_results(lower):
    @T.prim_func
    def choose(C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            c = T.alloc_ub((64, 128), _F32)
            for i in T.serial(n):
                if i > 2:
                    T.vexp(c, c)
                else:
                    T.vabs(c, c)
            if n > 3:
                T.copy(c, C)

    generated = lower(choose, "Expert")
    assert generated.counts["scf.if"] == 2
    assert generated.text.count("} else {") == 1
    assert "iter_args" not in generated.text


def test_flags_inside_a_core_take_the_pipes_of_both_ends(lower):
    @T.prim_func
    def flags(A: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            with T.rs("PIPE_MTE2"):
                T.copy(A, a)
                T.set_flag("PIPE_V", 3)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 3)
                T.pipe_barrier("PIPE_V")
                T.set_flag("PIPE_MTE3", n)

    generated = lower(flags, "Expert")
    three, ends = generated.lines("hivm.hir.set_flag")[0], "[<PIPE_MTE2>, <PIPE_V>, "
    event = three.removeprefix(f"hivm.hir.set_flag{ends}").removesuffix("]")
    assert f"{event} = arith.constant 3 : i64" in generated.text
    assert generated.lines("hivm.hir.wait_flag")[0].startswith(f"hivm.hir.wait_flag{ends}")
    assert "hivm.hir.pipe_barrier[<PIPE_V>]" in generated.text
    assert "arith.extsi %n : i32 to i64" in generated.text


def test_cross_core_flags_may_be_chosen_at_run_time(lower):
    @T.prim_func
    def flags(n: T.int32):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE3"):
                    T.sync_block_set(n)
            with T.Scope("Cube"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(n)

    text = lower(flags, "Expert").text
    assert "sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = %" in text
    assert "sync_block_wait[<CUBE>, <PIPE_S>, <PIPE_MTE2>] flag = %" in text


def test_single_elements_are_loaded_and_stored(lower):
    @T.prim_func
    def elements(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            x = a[n, 3] + A[0, n]
            a[1, 2] = x
            C[0, n] = x

    counts = lower(elements, "Expert").counts
    assert (counts["memref.load"], counts["memref.store"]) == (2, 2)


def test_prints_show_scalars_and_parts(lower):
    @T.prim_func
    def show(A: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            T.print(n, "n")
            T.print(a[0:4, :], "part")

    text = lower(show, "Expert").text
    assert text.count("hivm.hir.debug") == 2
    assert 'prefix = "part"' in text
    assert ": memref<4x128xf32, strided<[128, 1]>, #hivm.address_space<ub>>\n" in text


def test_statements_outside_the_scopes_go_to_both_cores(lower):
    @T.prim_func
    def both(C: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            c = T.alloc_ub((64, 128), _F32)
            for i in T.serial(4):
                with T.Scope("Vector"):
                    T.vadd(c, i, c)
                with T.Scope("Cube"):
                    with T.rs("PIPE_FIX"):
                        T.sync_block_set(i)

    cube, vector = (
        [op.name for op in function.walk()] for function in lower(both, "Expert").functions
    )
    assert cube.count("scf.for") == vector.count("scf.for") == 1
    assert (cube.count("memref.alloc"), vector.count("memref.alloc")) == (0, 1)
    assert (cube.count("hivm.hir.vadd"), vector.count("hivm.hir.vadd")) == (0, 1)
