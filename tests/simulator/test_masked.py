"""Choices between tiles that nothing was written to: what the mask hides is no fault."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tlcourse.simulator.run import SimulatorRun

# A has a row per block; elements below 0 are taken from a tile that is written in part only.
KERNEL = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%t = hivm.hir.pointer_cast(%c256) : UB(64xf32)
%m = hivm.hir.pointer_cast(%c512) : UB(64xi1)
%o = hivm.hir.pointer_cast(%c576) : UB(64xf32)
%zero = arith.constant 0.0 : f32
%b = hivm.hir.get_block_idx -> i64
%n = arith.index_cast %b : i64 to index
%at = arith.muli %n, %i64 : index
%in = memref.reinterpret_cast %A to offset: [%at], sizes: [64], strides: [1] : GM(?xf32) to \
GM(64xf32, strided<[1], offset: ?>)
%out = memref.reinterpret_cast %B to offset: [%at], sizes: [64], strides: [1] : GM(?xf32) to \
GM(64xf32, strided<[1], offset: ?>)
%t2 = memref.subview %t[0] [32] [1] : UB(64xf32) to UB(32xf32, strided<[1]>)
hivm.hir.load ins(%in : GM(64xf32, strided<[1], offset: ?>)) outs(%a : UB(64xf32))
hivm.hir.vbrc ins(%zero : f32) outs(%t2 : UB(32xf32, strided<[1]>))
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.vcmp ins(%a, %zero : UB(64xf32), f32) outs(%m : UB(64xi1)) compare_mode = <lt>
hivm.hir.pipe_barrier[<PIPE_V>]
CHOOSE
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%o : UB(64xf32)) outs(%out : GM(64xf32, strided<[1], offset: ?>))"""
LINE = KERNEL.split("CHOOSE")[0].count("\n") + 1
TILES = "UB(64xi1), UB(64xf32), UB(64xf32)"
FIRST = f"hivm.hir.vsel ins(%m, %t, %a : {TILES}) outs(%o : UB(64xf32))"
SECOND = (
    "hivm.hir.vnot ins(%m : UB(64xi1)) outs(%m : UB(64xi1))\n"
    "hivm.hir.pipe_barrier[<PIPE_V>]\n"
    f"hivm.hir.vsel ins(%m, %a, %t : {TILES}) outs(%o : UB(64xf32))"
)
TWICE = (
    f"{FIRST}\nhivm.hir.pipe_barrier[<PIPE_V>]\n"
    f"hivm.hir.vsel ins(%m, %t, %o : {TILES}) outs(%o : UB(64xf32))"
)
BEHIND = (
    f"{FIRST}\nhivm.hir.pipe_barrier[<PIPE_V>]\n"
    "hivm.hir.vadd ins(%o, %t : UB(64xf32), UB(64xf32)) outs(%o : UB(64xf32))"
)
Launch = Callable[..., tuple[SimulatorRun, torch.Tensor]]


@pytest.fixture
def launch(tiny, helpers) -> Launch:
    """Launches the kernel with other choices on rows of A."""

    def start(choose: str, a: torch.Tensor, **options: object) -> tuple[SimulatorRun, torch.Tensor]:
        b = torch.full_like(a, torch.nan)
        tensors = [helpers.tensor(name, "float32", *a.shape) for name in "AB"]
        text = KERNEL.replace("CHOOSE", choose)
        return tiny.run(tensors, [a, b], vector=text, blocks=len(a), out_idx=(1,), **options), b

    return start


def _rows(*below_zero: slice) -> torch.Tensor:
    a = torch.arange(1.0, 65).repeat(len(below_zero), 1)
    for row, part in zip(a, below_zero, strict=True):
        row[part] *= -1
    return a


@pytest.mark.parametrize("choose", [FIRST, SECOND, TWICE])
def test_what_a_mask_hides_is_no_fault(launch: Launch, choose: str) -> None:
    a = _rows(slice(0, 32))
    result, b = launch(choose, a)
    assert result.findings == ()
    assert torch.equal(b, a.clamp(min=0))


@pytest.mark.parametrize("choose", [FIRST, TWICE])
def test_what_a_mask_shows_is_one(launch: Launch, helpers, choose: str) -> None:
    result, b = launch(choose, _rows(slice(31, 35)))
    assert helpers.codes(result) == ["TL520"]
    assert "store uses 3 of 64 elements" in result.findings[0].diagnostic.what
    assert "vsel read them first" in result.findings[0].diagnostic.what
    assert b.isnan().sum() == 3


def test_an_unwritten_mask_hides_nothing(launch: Launch, helpers) -> None:
    other = "%x = hivm.hir.pointer_cast(%c1024) : UB(64xi1)\n"
    result, _ = launch(other + FIRST.replace("%m", "%x"), _rows(slice(0, 32)))
    assert helpers.codes(result) == ["TL520"]
    assert "store uses 64 of 64" in result.findings[0].diagnostic.what


def test_what_is_read_behind_a_choice_is_still_followed(launch: Launch, helpers) -> None:
    result, _ = launch(BEHIND, _rows(slice(0, 32)))
    assert helpers.codes(result) == ["TL520"]
    assert "store uses 32 of 64 elements" in result.findings[0].diagnostic.what
    assert helpers.lines(result.findings[0]) == [LINE + 4, LINE + 2]


def test_a_product_with_zero_hides_nothing(launch: Launch, helpers) -> None:
    times = "hivm.hir.vmul ins(%t, %zero : UB(64xf32), f32) outs(%o : UB(64xf32))"
    result, b = launch(times, _rows(slice(0, 32)))
    assert helpers.codes(result) == ["TL520"]
    assert b[0, 32:].isnan().all()


@pytest.mark.parametrize("checks", ["class", "all"])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_mask_of_another_block_may_show_it(
    launch: Launch, helpers, checks: str, seed: int
) -> None:
    a = _rows(slice(0, 32), slice(0, 32), slice(0, 40))
    result, b = launch(FIRST, a, checks=checks, seed=seed)
    assert helpers.codes(result) == ["TL520"]
    assert (result.findings[0].block, result.findings[0].count) == (2, 1)
    assert torch.equal(b[:2], a[:2].clamp(min=0))
