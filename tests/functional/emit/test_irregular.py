"""Irregular tile ops: values against torch in both modes, and indices that lead outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tests.tile_cases import CASES
from tlcourse.functional.run import FunctionalRun
from tlcourse.tolerance import tolerance

Launch = Callable[..., FunctionalRun]


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, mode: str, launch: Launch) -> None:
    case = CASES[name]
    a, b, o = case.tensors()
    expected = case.expected(a.clone(), b.clone(), o.clone())
    before = a.clone()
    assert launch(case.kernel(mode), a, b, o, mode=mode).findings == ()
    limit = tolerance(case.dtype)
    torch.testing.assert_close(o, expected.to(o.dtype), rtol=limit, atol=limit)
    assert torch.equal(a, before), "the source keeps its numbers"


def test_positions(launch: Launch) -> None:
    @T.prim_func
    def where(A: T.Tensor((2, 4), "float32"), P: T.Tensor((2, 4), "int32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((2, 4), "float32")
            v = T.alloc_ub((2, 1), "float32")
            p = T.alloc_ub((2, 4), "int32")
            T.copy(A, a)
            T.reduce(a, [v, p[:, 0:1]], -1, "max_with_index_left")
            T.reduce(a, [v, p[:, 1:2]], -1, "max_with_index_right")
            T.reduce(a, [v, p[:, 2:3]], -1, "min_with_index_left")
            T.reduce(a, [v, p[:, 3:4]], -1, "min_with_index_right")
            T.copy(p, P)

    places = torch.zeros(2, 4, dtype=torch.int32)
    launch(where, torch.tensor([[1.0, 3, 3, 1], [0, 0, 0, 0]]), places)
    assert places.tolist() == [[1, 2, 0, 3], [0, 3, 0, 3]]


def test_logic(launch: Launch) -> None:
    @T.prim_func
    def logic(A: T.Tensor((3, 4), "bool"), R: T.Tensor((3, 2), "bool")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((3, 4), "bool")
            o = T.alloc_ub((3, 2), "bool")
            T.copy(A, a)
            T.reduce(a, o[:, 0:1], 1, "any")
            T.reduce(a, o[:, 1:2], 1, "all")
            T.copy(o, R)

    out = torch.zeros(3, 2, dtype=torch.bool)
    launch(logic, torch.tensor([[1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]]).bool(), out)
    assert out.tolist() == [[True, True], [True, False], [False, False]]


def test_lengths_of_the_run(launch: Launch) -> None:
    @T.prim_func
    def pad(A: T.Tensor((4, 8), "float32"), R: T.Tensor((3, 8, 8), "float32")):
        with T.Kernel(3, is_npu=True) as (cid, _):
            a = T.alloc_ub((4, 8), "float32")
            o = T.alloc_ub((8, 8), "float32")
            T.copy(A, a)
            T.clear(o)
            T.npuir_pad(a, o, -1.0, [cid, 0], [cid, 0])
            T.copy(o, R[cid, 0, 0], size=[1, 8, 8])

    a, out = torch.rand(4, 8), torch.zeros(3, 8, 8)
    assert launch(pad, a, out).findings == ()
    for block in range(3):
        padded = torch.nn.functional.pad(a, (0, 0, block, block), value=-1.0)
        assert torch.equal(out[block, : 4 + 2 * block], padded)
        assert not out[block, 4 + 2 * block :].any()


def test_tails_of_the_run(launch: Launch) -> None:
    @T.prim_func
    def tails(A: T.Tensor((8, 16), "float32"), R: T.Tensor((8, 1), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((8, 16), "float32")
            o = T.alloc_ub((8, 1), "float32")
            T.copy(A, a)
            T.clear(o)
            T.reduce_sum(a, o, dim=1, size=[n, n], clear=False)
            T.copy(o, R)

    a, out = torch.rand(8, 16), torch.zeros(8, 1)
    assert launch(tails, a, out, 5).findings == ()
    torch.testing.assert_close(out[:5], a[:5, :5].sum(1, keepdim=True))
    assert not out[5:].any()


def test_extents_of_the_run_that_disagree(faults: Callable[..., list[str]]) -> None:
    @T.prim_func
    def rows(A: T.Tensor((8, 16), "float32"), n: T.int32, m: T.int32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((8, 16), "float32")
            o = T.alloc_ub((8, 16), "float32")
            T.copy(A, a)
            T.flip(a[0:n, :], o[0:m, :], 1)

    assert faults(rows, torch.rand(8, 16), 3, 3) == []
    (text,) = faults(rows, torch.rand(8, 16), 3, 4)
    assert "TL505" in text


def test_gather_outside(faults: Callable[..., list[str]]) -> None:
    a, b, o = CASES["gather"].tensors()
    b[3, 2] = 16
    (text,) = faults(CASES["gather"].kernel("Expert"), a, b, o)
    assert "TL501" in text
    assert "reads a[0, 16]" in text


def test_atomic_add_over_blocks(launch: Launch) -> None:
    @T.prim_func
    def count(A: T.Tensor((4, 8), "float32"), R: T.Tensor((1, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8,), "float32")
            T.copy(A[cid, :], a)
            T.atomic_add(R[0, 0], a, size=[8])
            T.atomic_addx4(R[0, 0:4], a[0:4])

    a, out = torch.rand(4, 8), torch.ones(1, 8)
    assert launch(count, a, out).findings == ()
    expected = 1 + a.sum(0, keepdim=True)
    expected[:, :4] += a[:, :4].sum(0, keepdim=True)
    torch.testing.assert_close(out, expected)
