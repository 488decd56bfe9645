"""What each block touches: tiles of the tensors, seen without computing anything."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.blocks import BlockMap, Box
from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit import Kernel, compile
from tlcourse.records import from_json, to_json
from tlcourse.simulator import touched


def box(tensor: int, writes: bool, rows: tuple[int, int], columns: tuple[int, int]) -> Box:
    return Box(tensor=tensor, writes=writes, rows=rows, columns=columns)


@pytest.fixture
def kernel() -> Kernel:
    return compile(minicv_developer(256, 512, 128, 64, 128, 64), mode="Developer")


@pytest.fixture
def doubled() -> Kernel:
    N = T.symbolic("N")

    @T.prim_func
    def twice(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 32, is_npu=True) as (cid, _):
            tile = T.alloc_shared((32,), "float32")
            T.copy(A[cid * 32], tile)
            T.npuir_add(tile, tile, tile)
            T.copy(tile, B[cid * 32])

    return compile(twice, mode="Developer")


def test_tiles_of_a_block_by_hand(kernel: Kernel) -> None:
    found = kernel.block_map()
    assert (found.kind, found.blocks) == ("mix", 16)
    assert [(one.name, one.shape) for one in found.tensors] == [
        ("A", (256, 128)),
        ("B", (128, 512)),
        ("C", (256, 512)),
        ("D", (256, 512)),
    ]
    # Block 6 of 4 x 4 takes tile row 1 and tile column 2; two trips of 64 along K.
    mine = found.boxes[6]
    assert [one for one in mine if one.tensor < 2] == [
        box(0, False, (64, 127), (0, 63)),
        box(0, False, (64, 127), (64, 127)),
        box(1, False, (0, 63), (256, 383)),
        box(1, False, (64, 127), (256, 383)),
    ]
    assert all(one.writes for one in mine if one.tensor >= 2)
    corner = {(one.rows[0], one.columns) for one in mine if one.tensor == 3}
    assert corner == {(64, (256, 383)), (96, (256, 383))}  # a half for each vector core


def test_every_element_is_written_by_one_block(kernel: Kernel) -> None:
    owners: dict[tuple[int, int], set[int]] = {}
    for block, boxes in enumerate(kernel.block_map().boxes):
        for one in boxes:
            if one.tensor == 3:
                owners.setdefault((one.rows[0], one.columns[0]), set()).add(block)
    assert len(owners) == 32
    assert all(len(blocks) == 1 for blocks in owners.values())


def test_chips_run_as_many_blocks_as_they_have_cores(kernel: Kernel, doubled: Kernel) -> None:
    assert [(one.chip, one.count) for one in kernel.block_map().chips] == [
        ("Ascend910B1", 24),
        ("Ascend910B3", 20),
    ]
    other = kernel.block_map(chip="Ascend910B3").chips[0]
    assert (other.chip, other.count) == ("Ascend910B3", 20)
    vector = doubled.block_map((64,), (64,))
    assert (vector.kind, vector.chips[0].count) == ("vector", 48)


def test_symbols_take_shapes(doubled: Kernel) -> None:
    found = doubled.block_map((96,), (96,))
    assert found.blocks == 3
    assert found.boxes[2] == (box(0, False, (0, 0), (64, 95)), box(1, True, (0, 0), (64, 95)))
    assert from_json(BlockMap, to_json(found)) == found


def test_tl473_symbols_without_shapes(doubled: Kernel) -> None:
    with pytest.raises(TLError, match=r"TL473.*twice has to be told how large A is"):
        doubled.block_map()


def test_many_tiles_become_what_they_cover(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "MOST_BOXES", 1)
    assert [one for one in kernel.block_map().boxes[6] if one.tensor == 0] == [
        box(0, False, (64, 127), (0, 127))
    ]


def test_only_the_first_blocks_are_looked_at(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(touched, "MOST_BLOCKS", 5)
    found = kernel.block_map()
    assert (found.blocks, len(found.boxes)) == (16, 5)
