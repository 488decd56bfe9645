from __future__ import annotations

import tlcourse.language as T

_F32 = "float32"


def test_vadd_is_a_chain_of_tensors(lower):
    @T.prim_func
    def vadd(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 128), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((64, 128), "float16")
            T.copy(A, a)
            T.vadd(a, a, c)
            T.copy(c, C)

    generated = lower(vadd, "Developer")
    counts = generated.counts
    assert (counts["memref.alloc"], counts["memref.copy"]) == (1, 1)
    assert counts["bufferization.to_tensor"] == 1
    assert counts["bufferization.materialize_in_destination"] == 1
    tile = "tensor<64x128xf16>"
    assert f": {tile}, {tile}) outs(" in generated.text
    assert f": {tile}) -> {tile}\n" in generated.text
    assert "address_space" not in generated.text


def test_minicv_is_one_function_whose_loop_carries_the_sum(lower, minicv):
    generated = lower(minicv("Developer"), "Developer")
    (loop,) = (op for op in generated.module.walk() if op.name == "scf.for")
    assert [str(result.type) for result in loop.results] == ["tensor<128x256xf32>"]
    assert generated.counts["hivm.hir.mmadL1"] == generated.counts["hivm.hir.vexp"] == 1
    assert generated.counts["bufferization.materialize_in_destination"] == 2
    (mmad,) = (op for op in loop.walk() if op.name == "hivm.hir.mmadL1")
    assert mmad.c is loop.body.block.args[1]


def test_a_gemm_alone_runs_on_the_cube_core_and_a_copy_on_the_vector_cores(lower):
    @T.prim_func
    def product(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), _F32)
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)

    @T.prim_func
    def move(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((32, 32), "float16")
            T.copy(A, a)
            T.copy(a, C)

    assert 'mix_mode = "aic"' in lower(product, "Developer").text
    assert 'mix_mode = "aiv"' in lower(move, "Developer").text


def test_clearing_the_sum_of_a_gemm_takes_both_cores(lower):
    @T.prim_func
    def product(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), _F32)
            T.copy(A, a)
            T.clear(c)
            T.gemm(a, a, c)
            T.copy(c, C)

    assert 'mix_mode = "mix"' in lower(product, "Developer").text


def test_copies_convert_by_rounding_to_nearest(lower):
    @T.prim_func
    def convert(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 128), "bfloat16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.copy(a, C)

    generated = lower(convert, "Developer")
    casts = [op for op in generated.module.walk() if op.name == "hivm.hir.vcast"]
    assert [str(op.results[0].type) for op in casts] == [
        "tensor<64x128xf32>",
        "tensor<64x128xbf16>",
    ]
    assert [op.round_mode.data for op in casts] == ["rint", "rint"]


def test_a_write_to_a_part_keeps_the_rest(lower):
    @T.prim_func
    def part(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.vexp(a[0:8, 0:64], a[8:16, 64:128])
            T.copy(a, C)

    generated = lower(part, "Developer")
    assert generated.counts["tensor.extract_slice"] == generated.counts["tensor.insert_slice"] == 1
    assert "[8, 64] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<64x128xf32>" in generated.text
    assert generated.text.count(": tensor<8x64xf32>) -> tensor<8x64xf32>") == 1


def test_rows_are_loaded_without_their_dimension_of_extent_one(lower):
    @T.prim_func
    def rows(A: T.Tensor((4, 64, 128), "float16"), C: T.Tensor((4, 64, 128), "float16")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            r = T.alloc_shared((1, 128), "float16")
            q = T.alloc_shared((128,), "float16")
            T.copy(A[cid, 3, :], r)
            T.copy(r, q)
            T.copy(q, C[cid, 3, :])

    text = lower(rows, "Developer").text
    assert "memref.alloc() : memref<128xf16>" in text
    assert "[0, 0] [1, 128] [1, 1] : tensor<128xf16> into tensor<1x128xf16>" in text
    assert "[0, 0] [1, 128] [1, 1] : tensor<1x128xf16> to tensor<128xf16>" in text
    assert "(tensor<128xf16>, memref<128xf16, strided<[1], offset: ?>>) -> ()" in text


def test_a_tail_in_a_fresh_tile_is_the_loaded_buffer(lower):
    @T.prim_func
    def tail(A: T.Tensor((100, 128), _F32), C: T.Tensor((100, 128), _F32)):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_shared((64, 128), _F32)
            m = T.min(64, 100 - cid * 64)
            T.copy(A[cid * 64 : cid * 64 + m, :], a[0:m, :])
            T.copy(a[0:m, :], C[cid * 64 : cid * 64 + m, :])

    generated = lower(tail, "Developer")
    assert "restrict : memref<64x128xf32>\n" in generated.text
    assert "to memref<?x128xf32, strided<[128, 1]>>\n" in generated.text
    assert "tensor<64x128xf32> to tensor<?x128xf32>" in generated.text
    assert generated.counts["tensor.insert_slice"] == 0


def test_a_tail_in_a_used_tile_keeps_what_lies_beyond(lower):
    @T.prim_func
    def tail(A: T.Tensor((100, 128), _F32), C: T.Tensor((64, 128), _F32), m: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.clear(a)
            T.copy(A[0:m, :], a[0:m, :])
            T.copy(a, C)

    text = lower(tail, "Developer").text
    assert "restrict : memref<?x128xf32, strided<[128, 1]>>" in text
    assert "tensor<?x128xf32> into tensor<64x128xf32>" in text


def test_a_side_that_knows_its_extents_tells_the_other(lower):
    M = T.symbolic("M")

    @T.prim_func
    def known(A: T.Tensor((M, 128), _F32), C: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.copy(a, C)

    text = lower(known, "Developer").text
    assert "[0, 0] [64, 128] [1, 1] : memref<?x128xf32, strided<[128, 1]>>" in text


def test_a_factor_that_is_a_corner_goes_in_whole_and_another_part_is_cut_out(lower):
    @T.prim_func
    def product(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), _F32)
            T.copy(A, a)
            T.gemm(a[0:n, 0:32], a[32:64, :], c[0:n, :], initC=True)
            T.copy(c, C)

    text = lower(product, "Developer").text
    assert "[32, 0] [32, 64] [1, 1] : tensor<64x64xf16> to tensor<32x64xf16>" in text
    assert ": tensor<64x64xf16>, tensor<32x64xf16>, i1, index, index, index) outs(" in text


def test_a_branch_hands_out_what_both_sides_leave(lower):
    @T.prim_func
    def choose(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            b = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.copy(A, b)
            if n > 2:
                T.vexp(a, a)
                T.vabs(a, b)
            T.vadd(a, b, a)
            T.copy(a, C)

    generated = lower(choose, "Developer")
    (branch,) = (op for op in generated.module.walk() if op.name == "scf.if")
    assert len(branch.results) == 2
    then, other = (list(region.block.ops) for region in branch.regions)
    assert [op.name for op in other] == ["scf.yield"]
    loaded = [op.results[0] for op in generated.module.walk() if op.name.endswith("to_tensor")]
    assert list(other[0].operands) == loaded
    assert [op.name for op in then if op.name.startswith("hivm")] == [
        "hivm.hir.vexp",
        "hivm.hir.vabs",
    ]


def test_single_elements_are_extracted_and_inserted(lower):
    @T.prim_func
    def elements(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            x = a[n, 3] + A[0, n]
            a[1, 2] = x
            C[0, n] = x
            T.copy(a, C)

    counts = lower(elements, "Developer").counts
    assert (counts["tensor.extract"], counts["tensor.insert"]) == (1, 1)
    assert (counts["memref.load"], counts["memref.store"]) == (1, 1)


def test_a_broadcast_without_dimensions_is_the_tile_itself(lower):
    @T.prim_func
    def same(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            b = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.vbrc(a, b)
            T.copy(b, C)

    assert lower(same, "Developer").counts["hivm.hir.vbrc"] == 0


def test_prints_show_scalars_tiles_and_tensors(lower):
    @T.prim_func
    def show(A: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(A, a)
            T.print(n, "n")
            T.print(a[0:4, :], "part")
            T.print(A[0:2, :], "rows")

    text = lower(show, "Developer").text
    assert text.count("hivm.hir.debug") == 3
    assert ": tensor<4x128xf32>\n" in text
    assert ": memref<2x128xf32, strided<[128, 1]>>\n" in text
