"""Tiles: where their bytes lie, how they are cut, when they leave their memory."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from tlcourse.simulator.marks import Marks
from tlcourse.simulator.memory import Memory, in_gm, on_chip
from tlcourse.simulator.tile import Layout, Tile


def matrix(memory: Memory, rows: int = 8, columns: int = 16, dtype: str = "float32") -> Tile:
    """A row-major tile at the start of a memory."""
    return Tile(memory, dtype, 0, 0, (rows, columns), (columns, 1))


def test_fresh_memory_is_poison() -> None:
    memory = on_chip("UB", "ub", 64)
    assert torch.isnan(memory.typed("float16")).all()
    assert torch.isnan(memory.typed("float32")).all()
    assert torch.isnan(memory.typed("bfloat16")).all()
    assert memory.typed("int16").tolist() == [32767] * 32


def test_tensor_in_gm_shares_its_storage() -> None:
    tensor = torch.zeros(4, 4)
    tile = Tile(in_gm("A", tensor[1:3]), "float32", 0, 0, (2, 4), (4, 1))
    tile.view().fill_(5)
    assert tensor.tolist() == [[0.0] * 4, [5.0] * 4, [5.0] * 4, [0.0] * 4]


def test_subview_drops_dimensions_and_scales_strides() -> None:
    memory = on_chip("UB", "ub", 1024)
    memory.typed("float32")[:128] = torch.arange(128.0)
    part = matrix(memory).subview((2, 3), (1, 4), (1, 2), (1,))
    assert part.view().tolist() == [35.0, 37.0, 39.0, 41.0]
    assert part.leaves() is None


def test_reinterpret_counts_from_the_start_of_the_buffer() -> None:
    memory = on_chip("UB", "ub", 1024)
    part = matrix(memory).subview((2, 0), (2, 16), (1, 1), (0, 1))
    again = part.reinterpret(4, (8,), (1,))
    assert again.span_bytes() == (16, 48)


def test_collapse_and_expand() -> None:
    memory = on_chip("UB", "ub", 1024)
    flat = matrix(memory).collapse(((0, 1),))
    assert (flat.sizes, flat.strides) == ((128,), (1,))
    again = flat.expand(((0, 1, 2),), (2, 4, 16))
    assert (again.sizes, again.strides) == ((2, 4, 16), (64, 16, 1))
    odd = matrix(memory).subview((0, 0), (1, 16), (1, 1), (0, 1)).collapse(((0, 1),))
    assert (odd.sizes, odd.strides) == ((16,), (1,))


def test_bytes_as_starts_a_buffer_of_another_dtype() -> None:
    memory = on_chip("UB", "ub", 1024)
    raw = Tile(memory, "int8", 0, 0, (1024,), (1,))
    view = raw.bytes_as(256, "float16", (4, 8), (8, 1))
    assert view.span_bytes() == (256, 320)


def test_leaving_a_tensor_and_leaving_a_memory() -> None:
    memory = on_chip("UB", "ub", 512)
    tile = matrix(memory)
    columns = tile.subview((0, 8), (8, 16), (1, 1), (0, 1))
    how = columns.leaves()
    assert how is not None
    assert (how.dim, how.start, how.stop, how.limit) == (1, 8, 24, 16)
    behind = matrix(memory, rows=9).leaves()
    assert behind is not None
    assert (behind.dim, behind.stop, behind.limit) == (-1, 144, 128)
    assert not matrix(memory, rows=9).is_in_memory()
    nothing = tile.subview((9, 0), (0, 16), (1, 1), (0, 1))
    assert nothing.leaves() is None


def test_layout_merges_what_is_contiguous() -> None:
    memory = on_chip("UB", "ub", 2048)
    assert matrix(memory).layout() == Layout(start_bytes=0, run_bytes=512, loops=())
    half = matrix(memory).subview((1, 0), (4, 8), (1, 1), (0, 1))
    assert half.layout() == Layout(start_bytes=64, run_bytes=32, loops=((4, 64),))
    assert half.layout().runs == 4


def test_same_place_and_overlap() -> None:
    memory = on_chip("UB", "ub", 1024)
    whole, half = matrix(memory), Tile(memory, "float16", 0, 0, (8, 16), (16, 1))
    assert whole.same_place(matrix(memory))
    assert not whole.same_place(half)
    assert whole.overlaps(half)
    assert not whole.overlaps(Tile(memory, "float32", 512, 0, (4,), (1,)))


@given(
    rows=st.integers(1, 5),
    columns=st.integers(1, 9),
    row_step=st.integers(9, 40),
    start=st.integers(0, 30),
)
def test_marks_cover_exactly_the_units_of_a_tile(
    rows: int, columns: int, row_step: int, start: int
) -> None:
    memory = on_chip("UB", "ub", 4096)
    tile = Tile(memory, "float32", 0, start, (rows, columns), (row_step, 1))
    marks = Marks(memory)
    marks.fill(tile, 7)
    units = {
        (start + r * row_step + c) * 4 // memory.unit_bytes
        for r in range(rows)
        for c in range(columns)
    }
    assert set(marks.cells.nonzero().reshape(-1).tolist()) == units
    assert set(marks.of(tile).reshape(-1).tolist()) == {7}


def test_rows_of_blocks_go_on_in_the_next_block() -> None:
    """Two columns of two blocks: rows 8 to 23 lie in both blocks of a column."""
    blocks = (2, 2, 16, 16), (512, 256, 16, 1)
    ones, dims, sizes = (1,) * 4, (0, 1, 2, 3), (2, 1, 16, 16)
    inside = Tile(on_chip("L1", "cbuf", 4096), "float16", 0, 0, *blocks)
    assert inside.subview((0, 0, 8, 0), sizes, ones, dims).outside is None
    # A column of blocks ends where the next one starts, and columns do not go on.
    assert inside.subview((0, 1, 16, 0), sizes, ones, dims).outside is not None
    assert inside.subview((0, 2, 8, 0), sizes, ones, dims).outside is not None
    assert inside.subview((0, 0, 0, 8), sizes, ones, dims).outside is not None
    vector = Tile(on_chip("UB", "ub", 4096), "float16", 0, 0, *blocks)
    assert vector.subview((0, 0, 8, 0), sizes, ones, dims).outside is not None
