"""Numbers of functional runs against torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
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


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "int16"])
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
