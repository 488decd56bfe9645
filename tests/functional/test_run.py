"""Numbers of functional runs against torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.functional.run import FunctionalRun
from tlcourse.tolerance import tolerance

Launch = Callable[..., FunctionalRun]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(7)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    limit = tolerance(str(found.dtype).removeprefix("torch."))
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=limit, atol=limit)


def vadd(N: int, block: int, dtype: str) -> T.PrimFunc:
    @T.prim_func
    def vadd(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), dtype)
            b_ub = T.alloc_ub((block,), dtype)
            c_ub = T.alloc_ub((block,), dtype)
            start = cid * block
            n = T.min(block, N - start)
            T.copy(A[start : start + n], a_ub[0:n])
            T.copy(B[start : start + n], b_ub[0:n])
            T.vadd(a_ub, b_ub, c_ub)
            T.copy(c_ub[0:n], C[start : start + n])

    return vadd


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "int8"])
@pytest.mark.parametrize("N", [1024, 1000, 7])
def test_vadd_with_tails(launch: Launch, dtype: str, N: int) -> None:
    kind = getattr(torch, dtype)
    a, b = (torch.randint(-60, 60, (N,)).to(kind) for _ in range(2))
    c = torch.empty(N, dtype=kind)
    assert launch(vadd(N, 128, dtype), a, b, c).findings == ()
    close(c, a + b)


def softplus_like(M: int, N: int) -> T.PrimFunc:
    @T.prim_func
    def chain(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 16, is_npu=True) as (cid, _):
            a = T.alloc_ub((16, N), "float32")
            b = T.alloc_ub((16, N), "float32")
            T.copy(A[cid * 16 : cid * 16 + 16, :], a)
            T.vexp(a, b)
            T.vadd(b, 1.0, b)
            T.vln(b, b)
            T.vmul(b, a, a)
            T.vmax(a, 0.25, a)
            T.copy(a, B[cid * 16 : cid * 16 + 16, :])

    return chain


def test_chain_in_place_with_scalars(launch: Launch) -> None:
    a, b = torch.randn(64, 40), torch.empty(64, 40)
    launch(softplus_like(64, 40), a, b)
    close(b, ((a.exp() + 1).log() * a).clamp_min(0.25))


def test_scalar_operand_is_rounded_to_the_tile_dtype(launch: Launch) -> None:
    @T.prim_func
    def scale(A: T.Tensor((32,), "float16"), B: T.Tensor((32,), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((32,), "float16")
            T.copy(A, a)
            T.vmul(a, 0.1, a)
            T.copy(a, B)

    a, b = torch.full((32,), 1000.0).half(), torch.empty(32).half()
    launch(scale, a, b)
    assert torch.equal(b, a * torch.tensor(0.1, dtype=torch.float16))


def test_rows_and_columns_broadcast(launch: Launch) -> None:
    @T.prim_func
    def outer(
        A: T.Tensor((8, 16), "float32"),
        row: T.Tensor((1, 16), "float32"),
        column: T.Tensor((8, 1), "float32"),
        B: T.Tensor((8, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 16), "float32")
            r = T.alloc_ub((1, 16), "float32")
            c = T.alloc_ub((8, 1), "float32")
            T.copy(A, a)
            T.copy(row, r)
            T.copy(column, c)
            T.vmul(a, r, a)
            T.vadd(a, c, a)
            T.copy(a, B)

    a, row, column = torch.randn(8, 16), torch.randn(1, 16), torch.randn(8, 1)
    b = torch.empty(8, 16)
    launch(outer, a, row, column, b)
    close(b, a * row + column)


def test_shifted_overlap_reads_before_it_writes(launch: Launch) -> None:
    @T.prim_func
    def shift(A: T.Tensor((48,), "float32"), B: T.Tensor((48,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((48,), "float32")
            T.copy(A, a)
            T.vadd(a[0:32], 1.0, a[16:48])
            T.copy(a[8:24], a[0:16])
            T.copy(a, B)

    a, b = torch.arange(48.0), torch.empty(48)
    launch(shift, a, b)
    expected = a.clone()
    expected[16:48] = a[0:32] + 1
    expected[0:16] = expected[8:24].clone()
    assert torch.equal(b, expected)


def gemm(M: int, N: int, K: int, dtype: str = "float16", out: str = "float32") -> T.PrimFunc:
    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), out)):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, _):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            A_l1 = T.alloc_L1((32, 16), dtype)
            B_l1 = T.alloc_L1((16, 64), dtype)
            C_l0 = T.alloc_L0C((32, 64), "int32" if dtype == "int8" else "float32")
            for k in T.serial(K // 16):
                T.copy(A[bx : bx + 32, k * 16 : k * 16 + 16], A_l1)
                T.copy(B[k * 16 : k * 16 + 16, by : by + 64], B_l1)
                T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
            T.copy(C_l0, C[bx : bx + 32, by : by + 64])

    return gemm


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gemm_accumulates_in_float32(launch: Launch, dtype: str) -> None:
    kind = getattr(torch, dtype)
    a, b = (torch.randn(64, 96) / 96**0.5).to(kind), torch.randn(96, 128).to(kind)
    c = torch.empty(64, 128)
    launch(gemm(64, 128, 96, dtype), a, b, c)
    close(c, a.float() @ b.float())


def test_expert_fixpipe_rounds_once_to_half(launch: Launch) -> None:
    a, b = (torch.randn(32, 64) / 8).half(), torch.randn(64, 64).half()
    c = torch.empty(32, 64).half()
    launch(gemm(32, 64, 64, out="float16"), a, b, c)
    close(c, (a.float() @ b.float()).half())


def test_int8_gemm_is_exact(launch: Launch) -> None:
    a = torch.randint(-128, 128, (32, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (64, 64), dtype=torch.int8)
    c = torch.empty(32, 64, dtype=torch.int32)
    launch(gemm(32, 64, 64, "int8", "int32"), a, b, c)
    assert torch.equal(c, a.int() @ b.int())


@pytest.mark.parametrize("a_transpose", [False, True])
@pytest.mark.parametrize("b_transpose", [False, True])
def test_gemm_of_transposed_operands(launch: Launch, a_transpose: bool, b_transpose: bool) -> None:
    a_shape = (32, 48) if a_transpose else (48, 32)
    b_shape = (64, 32) if b_transpose else (32, 64)

    @T.prim_func
    def turned(
        A: T.Tensor(a_shape, "float16"),
        B: T.Tensor(b_shape, "float16"),
        C: T.Tensor((48, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1(a_shape, "float16")
            b = T.alloc_L1(b_shape, "float16")
            c = T.alloc_L0C((48, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True, a_transpose=a_transpose, b_transpose=b_transpose)
            T.copy(c, C)

    a, b, c = torch.randn(a_shape).half(), torch.randn(b_shape).half(), torch.empty(48, 64)
    launch(turned, a, b, c)
    left = a.float().t() if a_transpose else a.float()
    right = b.float().t() if b_transpose else b.float()
    close(c, left @ right)


def test_gemm_without_init_adds_to_poison(launch: Launch) -> None:
    @T.prim_func
    def forgets(
        A: T.Tensor((16, 16), "float16"),
        B: T.Tensor((16, 16), "float16"),
        C: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((16, 16), "float16")
            b = T.alloc_L1((16, 16), "float16")
            c = T.alloc_L0C((16, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c)
            T.copy(c, C)

    a, b, c = torch.ones(16, 16).half(), torch.ones(16, 16).half(), torch.zeros(16, 16)
    launch(forgets, a, b, c)
    assert c.isnan().all()


def test_poison_comes_back_in_each_block(launch: Launch) -> None:
    @T.prim_func
    def keeps(A: T.Tensor((2,), "int32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            kept = T.alloc_ub((8,), "int32")
            T.copy(kept[0:1], B[cid : cid + 1])
            T.copy(A[cid : cid + 1], kept[0:1])

    b = torch.zeros(2, dtype=torch.int32)
    launch(keeps, torch.tensor([1, 2], dtype=torch.int32), b)
    assert b.tolist() == [0x7B7B7B7B, 0x7B7B7B7B]


def minicv_developer(M: int, N: int, K: int) -> T.PrimFunc:
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, _):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            A_sh = T.alloc_shared((32, 16), "float16")
            B_sh = T.alloc_shared((16, 64), "float16")
            C_fr = T.alloc_fragment((32, 64), "float32")
            D_fr = T.alloc_fragment((32, 64), "float32")
            for k in T.Pipelined(K // 16, num_stages=2):
                T.copy(A[bx : bx + 32, k * 16 : (k + 1) * 16], A_sh)
                T.copy(B[k * 16 : (k + 1) * 16, by : by + 64], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + 32, by : by + 64])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + 32, by : by + 64])

    return minicv


def minicv_expert(M: int, N: int, K: int) -> T.PrimFunc:
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, vid):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            with T.Scope("Cube"):
                A_l1 = T.alloc_L1((32, 16), "float16")
                B_l1 = T.alloc_L1((16, 64), "float16")
                C_l0 = T.alloc_L0C((32, 64), "float32")
                for k in T.serial(K // 16):
                    T.copy(A[bx : bx + 32, k * 16 : (k + 1) * 16], A_l1)
                    T.copy(B[k * 16 : (k + 1) * 16, by : by + 64], B_l1)
                    T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
                with T.rs("PIPE_FIX"):
                    T.copy(C_l0, C[bx : bx + 32, by : by + 64])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                C_ub = T.alloc_ub((16, 64), "float32")
                D_ub = T.alloc_ub((16, 64), "float32")
                row = bx + vid * 16
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + 16, by : by + 64], C_ub)
                T.vexp(C_ub, D_ub)
                T.copy(D_ub, D[row : row + 16, by : by + 64])

    return minicv


@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_minicv(launch: Launch, mode: str) -> None:
    kernel = minicv_developer(96, 128, 64) if mode == "Developer" else minicv_expert(96, 128, 64)
    a, b = (torch.randn(96, 64) / 8).half(), torch.randn(64, 128).half()
    c, d = torch.full((96, 128), torch.nan), torch.full((96, 128), torch.nan)
    assert launch(kernel, a, b, c, d, mode=mode).findings == ()
    close(c, a.float() @ b.float())
    close(d, (a.float() @ b.float()).exp())


@pytest.mark.parametrize(("source", "target"), [("float32", "float16"), ("float16", "float32")])
def test_developer_copy_converts(launch: Launch, source: str, target: str) -> None:
    @T.prim_func
    def convert(A: T.Tensor((64,), source), B: T.Tensor((64,), target)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64,), target)
            T.copy(A, a)
            T.copy(a, B)

    a = torch.randn(64).to(getattr(torch, source))
    b = torch.empty(64, dtype=getattr(torch, target))
    launch(convert, a, b, mode="Developer")
    assert torch.equal(b, a.to(b.dtype))


def test_developer_copy_of_floats_into_integers_rounds_to_even(launch: Launch) -> None:
    @T.prim_func
    def convert(A: T.Tensor((6,), "float32"), B: T.Tensor((6,), "int32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((6,), "int32")
            T.copy(A, a)
            T.copy(a, B)

    a = torch.tensor([0.5, 1.5, -2.5, 1e12, -1e12, torch.nan])
    b = torch.zeros(6, dtype=torch.int32)
    launch(convert, a, b, mode="Developer")
    assert b.tolist() == [0, 2, -2, 2**31 - 1, -(2**31), 0]


def test_only_the_stated_region_of_a_tensor_changes(launch: Launch) -> None:
    @T.prim_func
    def middle(A: T.Tensor((8, 8), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((4, 8), "float32")
            T.clear(a)
            T.copy(a[1:3, 2:5], A[3:5, 4:7])

    a = torch.ones(8, 8)
    launch(middle, a)
    expected = torch.ones(8, 8)
    expected[3:5, 4:7] = 0
    assert torch.equal(a, expected)


def test_ranks_differ_by_extents_of_one(launch: Launch) -> None:
    @T.prim_func
    def pick(A: T.Tensor((3, 4, 16), "float32"), B: T.Tensor((4, 16), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((1, 4, 16), "float32")
            b = T.alloc_ub((4, 16), "float32")
            T.copy(A[1, 0:4, 0:16], b)
            T.copy(b, a)
            T.vadd(a, a, a)
            T.copy(a, B)

    a, b = torch.randn(3, 4, 16), torch.empty(4, 16)
    launch(pick, a, b)
    assert torch.equal(b, 2 * a[1])


def test_symbols_come_with_the_launch(launch: Launch) -> None:
    M = T.symbolic("M")

    @T.prim_func
    def double(A: T.Tensor((M, 8), "float32"), B: T.Tensor((M, 8), "float32")):
        with T.Kernel(T.ceildiv(M, 4), is_npu=True) as (cid, _):
            a = T.alloc_ub((4, 8), "float32")
            n = T.min(4, M - cid * 4)
            T.copy(A[cid * 4 : cid * 4 + n, :], a[0:n, :])
            T.vadd(a[0:n, :], a[0:n, :], a[0:n, :])
            T.copy(a[0:n, :], B[cid * 4 : cid * 4 + n, :])

    for rows in (8, 11, 1):
        a, b = torch.randn(rows, 8), torch.full((rows, 8), torch.nan)
        assert launch(double, a, b, symbols={"M": rows}).findings == ()
        assert torch.equal(b, 2 * a)


def test_two_grid_dimensions(launch: Launch) -> None:
    @T.prim_func
    def tiles(A: T.Tensor((6, 20), "int32")):
        with T.Kernel(3, 5, is_npu=True) as (bx, by, _):
            a = T.alloc_ub((2, 4), "int32")
            T.fill(a, bx * 10 + by)
            T.copy(a, A[bx * 2 : bx * 2 + 2, by * 4 : by * 4 + 4])

    a = torch.zeros(6, 20, dtype=torch.int32)
    launch(tiles, a)
    expected = (torch.arange(3)[:, None] * 10 + torch.arange(5)).int()
    assert torch.equal(a, expected.repeat_interleave(2, 0).repeat_interleave(4, 1))


def test_scalar_code(launch: Launch) -> None:
    @T.prim_func
    def scalars(A: T.Tensor((8, 4), "int32"), B: T.Tensor((8, 4), "int32"), n: T.int32):
        with T.Kernel(8, is_npu=True) as (cid, _):
            for j in T.serial(4):
                x = A[cid, j]
                if x % 3 == 0:
                    B[cid, j] = (x - 100) // 7 + n
                else:
                    B[cid, j] = (x - 100) % 7 * 2**30

    a = torch.arange(32, dtype=torch.int32).view(8, 4)
    b = torch.zeros(8, 4, dtype=torch.int32)
    launch(scalars, a, b, 5)
    wide = a.long()
    expected = torch.where(wide % 3 == 0, (wide - 100) // 7 + 5, (wide - 100) % 7 * 2**30)
    assert torch.equal(b, expected.int())


def test_float_scalars_round_after_each_op(launch: Launch) -> None:
    @T.prim_func
    def mean(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32"), s: T.float32):
        with T.Kernel(1, is_npu=True):
            B[0] = 0.0
            for i in T.serial(64):
                B[0] = B[0] + A[i] * s

    a, b = torch.rand(64), torch.empty(1)
    launch(mean, a, b, 0.1)
    expected = torch.zeros(())
    for value in a:
        expected = expected + value * torch.tensor(0.1)
    assert b.item() == expected.item()


def test_tensor_behind_an_offset_of_its_storage(launch: Launch) -> None:
    store = torch.zeros(3, 64)
    store[1] = torch.arange(64.0)
    launch(vadd(64, 16, "float32"), store[1], store[1], store[2])
    assert torch.equal(store[0], torch.zeros(64))
    assert torch.equal(store[2], 2 * torch.arange(64.0))


def test_leaf_that_requires_grad_can_be_written(launch: Launch) -> None:
    c = torch.zeros(8, requires_grad=True)
    launch(vadd(8, 8, "float32"), torch.ones(8), torch.ones(8), c)
    assert c.sum().item() == 16


def test_torch_threads_are_restored(launch: Launch) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        launch(vadd(8, 8, "float32"), torch.ones(8), torch.ones(8), torch.zeros(8))
        assert torch.get_num_threads() == 2
        with pytest.raises(TLError):
            launch(too_large(), torch.ones(8))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def too_large() -> T.PrimFunc:
    @T.prim_func
    def huge(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((2**20, 2**22), "float32")
            T.copy(a[0, 0:8], A)

    return huge


def test_refusal_of_torch_points_to_the_learners_line(launch: Launch) -> None:
    with pytest.raises(TLError) as caught:
        launch(too_large(), torch.ones(8))
    assert caught.value.code == "TL507"
    assert "T.alloc_ub((2**20, 2**22)" in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("rows", [0, -16])
def test_grid_without_blocks(launch: Launch, rows: int) -> None:
    @T.prim_func
    def empty(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(n // 16, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.copy(A[0:16], a)

    with pytest.raises(TLError) as caught:
        launch(empty, torch.ones(64), rows)
    assert caught.value.code == "TL410"
    assert "T.Kernel(n // 16, is_npu=True)" in str(caught.value)


def test_grid_that_divides_by_zero(launch: Launch) -> None:
    @T.prim_func
    def split(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(64 // n, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.copy(A[0:16], a)

    with pytest.raises(TLError) as caught:
        launch(split, torch.ones(64), 0)
    assert caught.value.code == "TL410"
    assert "the grid ((64 // n)) divides by zero" in str(caught.value)
