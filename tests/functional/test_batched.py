"""Blocks that run at once give what blocks in turn give, and the same reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

import tlcourse.language as T
from tlcourse.functional import batched
from tlcourse.functional.run import FunctionalRun, run
from tlcourse.records import Program

Programs = Callable[..., Program]


def scaled_rows(M: int, N: int, rows: int, columns: int, dtype: str = "float32") -> T.PrimFunc:
    across = N // columns

    @T.prim_func
    def scaled(A: T.Tensor((M, N), dtype), B: T.Tensor((M, 1), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel((M // rows) * across, is_npu=True) as (cid, _):
            first = cid // across * rows
            left = cid % across * columns
            a = T.alloc_ub((rows, columns), dtype)
            b = T.alloc_ub((rows, 1), dtype)
            T.copy(A[first : first + rows, left : left + columns], a)
            T.copy(B[first : first + rows, :], b)
            T.vmul(a, b, a)
            T.vadd(a, 1.0, a)
            T.copy(a, C[first : first + rows, left : left + columns])

    return scaled


def products(heads: int, S: int, D: int, block: int) -> T.PrimFunc:
    """Y = relu(A B^T) V for each head: factors of a block's own, and shared ones."""

    @T.prim_func
    def products(
        A: T.Tensor((heads, S, D), "float16"),
        B: T.Tensor((S, D), "float16"),
        V: T.Tensor((heads, S, D), "float16"),
        Y: T.Tensor((heads, S, D), "float32"),
    ):
        with T.Kernel(heads * (S // block), is_npu=True) as (cid, _):
            head = cid // (S // block)
            row = cid % (S // block) * block
            a = T.alloc_shared((block, D), "float16")
            b = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            o = T.alloc_fragment((block, D), "float32")
            T.copy(A[head, row : row + block, :], a)
            for j in T.serial(S // block):
                T.copy(B[j * block : (j + 1) * block, :], b)
                T.copy(V[head, j * block : (j + 1) * block, :], v)
                T.gemm(a, b, s, initC=True, b_transpose=True)
                T.vrelu(s, s)
                T.vcast(s, p)
                T.gemm(p, v, o, initC=(j == 0))
            T.copy(o, Y[head, row : row + block, :])

    return products


def both(program: Program, *tensors: torch.Tensor) -> tuple[FunctionalRun, FunctionalRun]:
    """Runs in groups, and one block after another, which leaves its result in the tensors."""
    assert program.options["batched"] is not None
    groups = run(program, tensors, symbols={})
    kept = [tensor.clone() for tensor in tensors]
    alone = replace(program, options={**program.options, "batched": None})
    tensors[-1].zero_()
    turns = run(alone, tensors, symbols={})
    for one, other in zip(kept, tensors, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
    return groups, turns


@pytest.mark.parametrize("together", [2, 3, 4, 64])
def test_tiles_of_a_matrix(program: Programs, together: int) -> None:
    torch.manual_seed(0)
    made = program(scaled_rows(40, 24, 8, 8))
    made.options["batched"]["blocks"] = together
    a, b, c = torch.randn(40, 24), torch.randn(40, 1), torch.zeros(40, 24)
    groups, turns = both(made, a, b, c)
    torch.testing.assert_close(c, a * b + 1)
    assert groups.findings == turns.findings == ()


@pytest.mark.parametrize("together", [2, 3, 4, 8])
def test_factors_of_blocks_and_shared_ones(program: Programs, together: int) -> None:
    torch.manual_seed(0)
    made = program(products(2, 64, 16, 16), "Developer")
    made.options["batched"]["blocks"] = together
    a, v = torch.randn(2, 64, 16).half() / 4, torch.randn(2, 64, 16).half() / 4
    b, o = torch.randn(64, 16).half() / 4, torch.empty(2, 64, 16)
    both(made, a, b, v, o)
    weights = torch.relu(a.float() @ b.float().T).half().float()
    torch.testing.assert_close(o, weights @ v.float(), rtol=1e-3, atol=1e-3)


def test_groups_run_and_not_single_blocks(
    program: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = program(scaled_rows(32, 8, 8, 8))
    tensors = torch.ones(32, 8), torch.ones(32, 1), torch.zeros(32, 8)
    alone = made.agents[0].source
    assert "core.groups" in made.options["batched"]["source"]
    monkeypatch.setattr("tlcourse.functional.run.load", lambda source: pytest.fail(alone))
    run(made, tensors, symbols={})
    assert torch.equal(tensors[2], torch.full((32, 8), 2.0))


def test_a_range_outside_is_reported_as_blocks_in_turn_do(program: Programs) -> None:
    @T.prim_func
    def shifted(A: T.Tensor((32, 8), "float32"), B: T.Tensor((32, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 + 1 : cid * 8 + 9, :], a)
            T.vexp(a, a)
            T.copy(a, B[cid * 8 : cid * 8 + 8, :])

    made = program(shifted)
    a, b = torch.randn(32, 8), torch.zeros(32, 8)
    groups, turns = both(made, a, b)
    assert groups == turns
    (found,) = groups.findings
    assert (found.diagnostic.code, found.block) == ("TL501", 3)


def test_blocks_that_write_one_place_do_so_in_order(program: Programs) -> None:
    @T.prim_func
    def last_wins(A: T.Tensor((32, 8), "float32"), B: T.Tensor((9, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.vadd(a, a, a)
            T.copy(a, B[cid % 2 : cid % 2 + 8, :])

    a, b = torch.randn(32, 8), torch.empty(9, 8)
    both(program(last_wins), a, b)
    assert torch.equal(b[1:], 2 * a[24:])
    assert torch.equal(b[0], 2 * a[16])


def test_steps_count_for_all_blocks(program: Programs) -> None:
    made = program(products(2, 64, 16, 16), "Developer")
    tensors = [torch.ones(shape).half() for shape in ((2, 64, 16), (64, 16), (2, 64, 16))]
    tensors.append(torch.empty(2, 64, 16))
    limit = 1
    while any(f.diagnostic.code == "TL504" for f in _limited(made, tensors, limit)):
        limit *= 2
    alone = replace(made, options={**made.options, "batched": None})
    assert not _limited(alone, tensors, limit)
    assert _limited(alone, tensors, limit // 2)


def _limited(program: Program, tensors: list[torch.Tensor], limit: int) -> tuple[object, ...]:
    return run(program, tensors, symbols={}, step_limit=limit).findings


def _in_place() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((32, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.vexp(a, a)
            T.copy(a, A[cid * 8 : cid * 8 + 8, :])

    return kernel


def _by_element() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((32, 8), "float32"), B: T.Tensor((32, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.vexp(a, a)
            a[0, 0] = a[1, 1]
            T.copy(a, B[cid * 8 : cid * 8 + 8, :])

    return kernel


def _by_branch() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((32, 8), "float32"), B: T.Tensor((32, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            if cid > 1:
                T.vexp(a, a)
            T.copy(a, B[cid * 8 : cid * 8 + 8, :])

    return kernel


def _by_tail() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((30, 8), "float32"), B: T.Tensor((30, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            rows = T.min(8, 30 - cid * 8)
            T.copy(A[cid * 8 : cid * 8 + rows, :], a[0:rows, :])
            T.vexp(a, a)
            T.copy(a[0:rows, :], B[cid * 8 : cid * 8 + rows, :])

    return kernel


def _by_loop() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((32, 8), "float32"), B: T.Tensor((32, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "float32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            for _ in T.serial(cid):
                T.vexp(a, a)
            T.copy(a, B[cid * 8 : cid * 8 + 8, :])

    return kernel


def _by_number() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((32, 8), "int32"), B: T.Tensor((32, 8), "int32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8, 8), "int32")
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.vadd(a, cid, a)
            T.copy(a, B[cid * 8 : cid * 8 + 8, :])

    return kernel


@pytest.mark.parametrize(
    "make", [_in_place, _by_element, _by_branch, _by_tail, _by_loop, _by_number]
)
def test_blocks_that_differ_run_in_turn(program: Programs, make: Callable[[], T.PrimFunc]) -> None:
    assert program(make()).options["batched"] is None


def test_one_block_needs_no_group(program: Programs) -> None:
    made = program(scaled_rows(8, 8, 8, 8))
    tensors = torch.ones(8, 8), torch.ones(8, 1), torch.zeros(8, 8)
    launch = batched.Launch(program=made, grid=(1,), step_limit=10**6)
    assert not batched.run_batched(launch, tensors, ())
