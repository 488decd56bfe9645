"""Bool tiles on chip: one bit for each element, in memory, in the checks and in kernels."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlcourse.simulator.memory import Memory, on_chip
from tlcourse.simulator.states import States
from tlcourse.simulator.tile import Layout, Tile

# Two rows of 64 elements come in, BODY makes a third.
KERNEL = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%b = hivm.hir.pointer_cast(%c256) : UB(64xf32)
%m = hivm.hir.pointer_cast(%c512) : UB(64xi1)
%n = hivm.hir.pointer_cast(%c544) : UB(64xi1)
%o = hivm.hir.pointer_cast(%c576) : UB(64xf32)
%h = hivm.hir.pointer_cast(%c832) : UB(64xf16)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
hivm.hir.load ins(%B1 : GM(64xf32)) outs(%b : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_ALL>]
BODY
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%o : UB(64xf32)) outs(%C1 : GM(64xf32))"""
COMPARE = (
    "hivm.hir.vcmp ins(%a, %b : UB(64xf32), UB(64xf32)) outs(%m : UB(64xi1)) compare_mode = <lt>"
)
CHOOSE = "hivm.hir.vsel ins(%m, %a, %b : UB(64xi1), UB(64xf32), UB(64xf32)) outs(%o : UB(64xf32))"
BARRIER = "hivm.hir.pipe_barrier[<PIPE_V>]"
FIRST_20 = "UB(20xf32, strided<[1]>)"
PART = (
    f"%a2 = memref.subview %a[0] [20] [1] : UB(64xf32) to {FIRST_20}\n"
    f"%b2 = memref.subview %b[0] [20] [1] : UB(64xf32) to {FIRST_20}\n"
    "%m2 = memref.subview %m[0] [20] [1] : UB(64xi1) to UB(20xi1, strided<[1]>)\n"
    f"hivm.hir.vcmp ins(%a2, %b2 : {FIRST_20}, {FIRST_20}) "
    "outs(%m2 : UB(20xi1, strided<[1]>)) compare_mode = <lt>"
)


def _launch(tiny, helpers, *body: str):
    torch.manual_seed(0)
    a, b, c = torch.randn(64), torch.randn(64), torch.full((64,), torch.nan)
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    text = KERNEL.replace("BODY", "\n".join(body))
    return tiny.run(tensors, [a, b, c], vector=text), a, b, c


def _bits(sizes: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Tile:
    memory = Memory(name="UB", space="ub", data=torch.zeros(64, dtype=torch.uint8))
    return Tile(memory, "bit", 0, offset, sizes, strides)


def test_the_first_element_is_the_lowest_bit() -> None:
    tile = _bits((12,), (1,))
    tile.keep(torch.tensor([1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0]).bool())
    assert tile.memory.data[:3].tolist() == [0b10000101, 0b10, 0]
    assert (tile.span_bytes(), tile.size_bytes) == ((0, 2), 2)
    assert tile.view().int().tolist() == [1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0]


@given(st.data())
def test_tiles_of_bits_are_tiles_of_bools(data: st.DataObject) -> None:
    """Slices of a matrix of bits, written one after another, agree with a matrix of bools."""
    rows, columns = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 20))
    whole = _bits((rows, columns), (columns, 1), data.draw(st.integers(0, 9)))
    expected = torch.zeros(rows, columns, dtype=torch.bool)
    for _ in range(3):
        top, left = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
        height = data.draw(st.integers(0, rows - top))
        width = data.draw(st.integers(0, columns - left))
        values = torch.rand(height, width) < 0.5
        whole.subview((top, left), (height, width), (1, 1), (0, 1)).keep(values)
        expected[top : top + height, left : left + width] = values
    assert torch.equal(whole.view(), expected)


@pytest.mark.parametrize(
    ("tile", "layout"),
    [
        (_bits((2, 64), (64, 1)), Layout(start_bytes=0, run_bytes=16, loops=())),
        (_bits((8, 4), (32, 1)), Layout(start_bytes=0, run_bytes=1, loops=((8, 4),))),
        (_bits((2, 4), (32, 1), 6), Layout(start_bytes=0, run_bytes=2, loops=((2, 4),))),
        (_bits((3, 4), (12, 1)), Layout(start_bytes=0, run_bytes=4, loops=())),
    ],
)
def test_layout_counts_whole_bytes(tile: Tile, layout: Layout) -> None:
    assert tile.layout() == layout


def test_a_bool_tile_behind_its_memory_is_outside() -> None:
    how = _bits((16,), (1,), 500).leaves()
    assert how is not None
    assert (how.start, how.stop, how.limit) == (496, 520, 512)


def test_each_bit_has_a_state_of_its_own() -> None:
    states = States(64, fresh=-1, mixed=-1)
    memory = on_chip("UB", "ub", 64)
    bits = Tile(memory, "bit", 0, 0, (16,), (1,))
    byte = Tile(memory, "int8", 0, 0, (2,), (1,))
    states.put(bits.subview((0,), (11,), (1,), (0,)), 0, torch.zeros(11, dtype=torch.int16))
    assert states.of(bits, 0).tolist() == [0] * 11 + [-1] * 5
    assert states.of(byte, 0).tolist() == [0, -1]
    states.put(bits.subview((11,), (5,), (1,), (0,)), 0, torch.zeros(5, dtype=torch.int16))
    assert states.of(byte, 0).tolist() == [0, 0]
    states.put(byte, 0, torch.tensor([7, 0], dtype=torch.int16))
    assert states.of(bits, 0).tolist() == [7] * 8 + [0] * 8


def test_compare_and_choose(tiny, helpers) -> None:
    result, a, b, c = _launch(tiny, helpers, COMPARE, BARRIER, CHOOSE)
    assert result.findings == ()
    torch.testing.assert_close(c, torch.minimum(a, b), rtol=0, atol=0)


def test_logic_on_masks(tiny, helpers) -> None:
    mask = "UB(64xi1)"
    result, a, b, c = _launch(
        tiny,
        helpers,
        COMPARE,
        BARRIER,
        f"hivm.hir.vnot ins(%m : {mask}) outs(%n : {mask})",
        BARRIER,
        f"hivm.hir.vor ins(%m, %n : {mask}, {mask}) outs(%n : {mask})",
        BARRIER,
        f"hivm.hir.vxor ins(%n, %m : {mask}, {mask}) outs(%m : {mask})",
        BARRIER,
        CHOOSE,
    )
    assert result.findings == ()
    torch.testing.assert_close(c, torch.maximum(a, b), rtol=0, atol=0)


def test_masks_become_numbers_and_copies(tiny, helpers) -> None:
    result, a, b, c = _launch(
        tiny,
        helpers,
        COMPARE,
        BARRIER,
        "hivm.hir.copy ins(%m : UB(64xi1)) outs(%n : UB(64xi1))",
        BARRIER,
        "hivm.hir.vcast ins(%n : UB(64xi1)) outs(%h : UB(64xf16))",
        BARRIER,
        "hivm.hir.vcast ins(%h : UB(64xf16)) outs(%o : UB(64xf32))",
    )
    assert result.findings == ()
    torch.testing.assert_close(c, (a < b).float(), rtol=0, atol=0)


def test_a_mask_that_is_missing_in_part_is_found(tiny, helpers) -> None:
    """20 elements are compared, 64 chosen: the 21st starts inside a byte that was written."""
    result, _, _, _ = _launch(tiny, helpers, PART, BARRIER, CHOOSE)
    assert helpers.codes(result) == ["TL520"]
    assert "store uses 44 of 64 elements" in result.findings[0].diagnostic.what


def test_a_race_on_a_mask_is_found(tiny, helpers) -> None:
    result, _, _, _ = _launch(tiny, helpers, COMPARE, CHOOSE)
    assert helpers.codes(result) == ["TL521"]
    assert "vsel reads m" in result.findings[0].diagnostic.what


def test_what_shares_no_granule_is_no_race(tiny, helpers) -> None:
    second = COMPARE.replace("%m", "%n")
    result, _, _, _ = _launch(tiny, helpers, COMPARE, second, BARRIER, CHOOSE)
    assert result.findings == ()
