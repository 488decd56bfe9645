"""Composite reductions and transpositions as basic ops, before codegen and before a run."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.expansion import expanded
from tlcourse.dialects.locations import located


def _reduction(mode: str, clear: bool) -> T.PrimFunc:
    @T.prim_func
    def reduction(A: T.Tensor((8, 16), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((8, 16), "float32")
            r = T.alloc_ub((8, 1), "float32")
            T.copy(A, a)
            T.clear(r)
            T.reduce(a[0:n, :], r, 1, mode, clear=clear)
            T.copy(r, A[:, 0:1])

    return reduction


def _turned(order: list[int]) -> T.PrimFunc:
    extents = (4, 8, 16)
    result = tuple(extents[dim] for dim in order)

    @T.prim_func
    def turned(A: T.Tensor(extents, "float32"), B: T.Tensor(result, "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub(extents, "float32")
            b = T.alloc_ub(result, "float32")
            T.copy(A, a)
            T.transpose(a, b, order)
            T.copy(b, B)

    return turned


def _steps(kernel: T.PrimFunc) -> list[str]:
    kinds = (tl.TileOp, tl.ElementwiseOp)
    ops = [op for op in expanded(kernel.module).walk() if isinstance(op, kinds)]
    return [op.name.removeprefix("tl.") for op in ops]


@pytest.mark.parametrize(
    ("mode", "clear", "steps"),
    [
        ("sum", True, ["reduce"]),
        ("max", False, ["reduce", "vmax"]),
        ("abssum", True, ["vabs", "reduce"]),
        ("absmax", False, ["vabs", "reduce", "vmax"]),
    ],
)
def test_reduction(mode: str, clear: bool, steps: list[str]) -> None:
    assert _steps(_reduction(mode, clear)) == steps


def test_temporaries_lie_with_the_tiles_and_bear_the_line() -> None:
    kernel = _reduction("abssum", False)
    module = expanded(kernel.module)
    module.verify()
    assert all(located(op) for op in module.walk())
    temporaries = {op.label.data: op.result for op in module.walk() if isinstance(op, tl.AllocOp)}
    assert tl.memref_of(temporaries["magnitude"]).get_shape() == (8, 16)
    assert tl.memref_of(temporaries["reduced"]).get_shape() == (8, 1)
    assert tl.scope_of(temporaries["reduced"]) == "shared"


def test_the_module_itself_stays_as_it_is() -> None:
    kernel = _reduction("abssum", False)
    before = str(kernel.module)
    expanded(kernel.module)
    assert str(kernel.module) == before


@pytest.mark.parametrize(
    ("order", "exchanges"),
    [
        ([0, 1, 2], []),
        ([0, 2, 1], [(0, 2, 1)]),
        ([2, 1, 0], [(2, 1, 0)]),
        ([1, 2, 0], [(1, 0, 2), (0, 2, 1)]),
    ],
)
def test_transposition(order: list[int], exchanges: list[tuple[int, ...]]) -> None:
    module = expanded(_turned(order).module)
    module.verify()
    found = [op for op in module.walk() if isinstance(op, tl.TransposeOp)]
    assert [op.order() for op in found] == exchanges
    for op in found:
        shape = tl.memref_of(op.sources[0]).get_shape()
        target = tl.memref_of(op.destinations[0]).get_shape()
        assert target == tuple(shape[dim] for dim in op.order())
