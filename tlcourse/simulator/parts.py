"""Parts of tiles that a core's own instructions touch, and what these compute."""

from __future__ import annotations

import torch

from tlcourse.simulator.instruction import Factor, Instruction, Run
from tlcourse.simulator.tile import Tile


def hold(held: list[torch.Tensor]) -> Run:
    """Takes a copy of what is carried into L0."""

    def take(view: torch.Tensor) -> None:
        held.append(view.clone())

    return take


def is_in_memory(instruction: Instruction) -> bool:
    """Whether an instruction's tiles can all be touched."""
    tiles = (*instruction.reads, *instruction.writes)
    return all([tile.is_in_memory() for tile in tiles])


def fill(value: float, element: torch.Tensor) -> None:
    """Stores a scalar."""
    element.fill_(value)


def factors(m: int, k: int, n: int, transposed: tuple[bool, bool]) -> tuple[Factor, Factor]:
    """A as [m, k] or [k, m], b as [k, n] or [n, k]."""
    rows, columns = (k, m) if transposed[0] else (m, k)
    left = Factor(rows=rows, columns=columns, sums_over=0 if transposed[0] else 1, gives_rows=True)
    rows, columns = (n, k) if transposed[1] else (k, n)
    right = Factor(
        rows=rows, columns=columns, sums_over=1 if transposed[1] else 0, gives_rows=False
    )
    return left, right


def fractals(tile: Tile, rows: int, columns: int) -> Tile:
    """The fractals of a tile that hold a matrix."""
    c0 = tile.sizes[3]
    sizes = (-(-columns // c0), -(-rows // 16), 16, c0)
    return tile.subview((0, 0, 0, 0), sizes, (1, 1, 1, 1), (0, 1, 2, 3))


def cell(tile: Tile, indices: tuple[int, ...]) -> Tile:
    """One element of a tile."""
    ones = (1,) * len(indices)
    return tile.subview(indices, ones, ones, ())
