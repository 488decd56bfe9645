"""Reads of on-chip memory that nothing has written, followed to where they do harm.

A core may compute on a tile whose tail holds nothing, as long as the tail's results are never
used. So, like the memory checkers for C, a read of unwritten bytes only taints what is computed
from them; the finding comes when tainted bytes leave for a tensor of the caller or become a
scalar. In a matrix product a row of the result is tainted by its row of a, a column by its
column of b; a choice passes on the taint of what its mask shows. The compiler's workspace is
followed like on-chip memory: each block has a share.

The order that counts is the order in which a core issues: a write that was issued before is
there, or it is a race, which `clocks` reports.
"""

from __future__ import annotations

from math import prod
from typing import Protocol

import torch

from tlcourse.simulator.instruction import Factor, Instruction
from tlcourse.simulator.machine import Machine, Observer
from tlcourse.simulator.masked import Masked, Tainted, is_choice
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.states import States
from tlcourse.simulator.tile import Tile

_WRITTEN = 0
_UNWRITTEN = -1


class UninitialisedReport(Protocol):
    """Takes what this check finds."""

    def uninitialised(
        self, instruction: Instruction, origin: int, tile: Tile, elements: int
    ) -> None:
        """Elements that came from unwritten memory are used; site `origin` read them first."""
        ...


class Initialised(Observer):
    """Keeps a number per byte: 0 written, -1 unwritten, else the site that tainted it, plus 1.

    The bits of a bool tile have numbers of their own.
    """

    def __init__(self, report: UninitialisedReport) -> None:
        self._report = report
        self._states: dict[int, States] = {}
        # Taint that lies in L0: by the token that the matrix op waits for.
        self._staged: dict[int, tuple[Factor, torch.Tensor]] = {}
        self._masked = Masked(self._follow)
        # Whether the last block read anything that nobody had written.
        self.saw_poison = False

    @property
    def hangs_on_masks(self) -> bool:
        """Whether the last block is free of faults only because of what its masks hid."""
        return self._masked.kept_back

    def begin(self, machine: Machine) -> None:
        """Forgets what earlier blocks wrote."""
        self._staged = {}
        self._masked = Masked(self._follow)
        self._states = {}
        self.saw_poison = False

    def issued(self, instruction: Instruction) -> None:
        if not instruction.reads and not instruction.writes and not instruction.clobbers:
            return
        waits = self._masked.is_waiting or (is_choice(instruction) and self._tainted(instruction))
        if waits:
            self._masked.wait(instruction)
        else:
            self._follow(instruction)

    def _follow(self, instruction: Instruction) -> None:
        """Follows the taint through one instruction."""
        dirty = self._masked.taken(instruction, self._tainted(instruction))
        if instruction.factor is not None:
            self._stage(instruction, instruction.factor, dirty)
            return
        if dirty and (_is_handed_out(instruction) or instruction.pipe.name == "S"):
            self._use(instruction, *dirty[0])
            dirty = []
        for tile in instruction.writes:
            if _counts(instruction, tile):
                self._write(instruction, tile, [state for _, state in dirty])
        for tile in instruction.clobbers:
            if _counts(instruction, tile):
                self._fill(instruction, tile, _UNWRITTEN)

    def _tainted(self, instruction: Instruction) -> Tainted:
        """What an instruction reads of tiles of which a part is not written."""
        return [
            (tile, state)
            for tile in instruction.reads
            if _counts(instruction, tile)
            and (state := self._dirty_part(instruction, tile)) is not None
        ]

    def _dirty_part(self, instruction: Instruction, tile: Tile) -> torch.Tensor | None:
        """The numbers of what an instruction reads of a tile; None where all of it is written."""
        states = self._of(tile.memory)
        if states.even(tile) == _WRITTEN:
            return None
        whole = states.of(tile, _share_start(instruction, tile.memory))
        if not bool(whole.any()):
            states.note(tile, _WRITTEN)
            return None
        part = _read_part(instruction, whole)
        if not bool(part.any()):
            return None
        self.saw_poison = True
        return part

    def _use(self, instruction: Instruction, tile: Tile, state: torch.Tensor) -> None:
        bad = state[state != _WRITTEN]
        origin = int(bad.reshape(-1)[0]) - 1
        site = instruction.site.index if origin < 0 else origin
        self._report.uninitialised(instruction, site, tile, bad.numel())

    def _stage(self, instruction: Instruction, factor: Factor, dirty: Tainted) -> None:
        """Remembers which rows of a, or columns of b, an instruction carries tainted into L0."""
        if not dirty:
            return
        state = _origins(dirty[0][1], instruction.site.index)
        matrix = _matrix(state)[: factor.rows, : factor.columns]
        lines = matrix.amax(dim=factor.sums_over)
        self._staged[id(instruction.sets[0])] = (factor, lines)

    def _write(self, instruction: Instruction, tile: Tile, states: list[torch.Tensor]) -> None:
        staged = [self._staged[id(w)] for w in instruction.waits if id(w) in self._staged]
        if not states and not staged:
            self._write_clean(instruction, tile)
            return
        site = instruction.site.index
        total = torch.zeros(tile.sizes, dtype=torch.int16)
        for state in states:
            total = torch.maximum(total, _spread(_origins(state, site), tile.sizes))
        for factor, lines in staged:
            _mark_lines(total, factor, lines)
        self._put(instruction, tile, total)

    def _write_clean(self, instruction: Instruction, tile: Tile) -> None:
        if self._of(tile.memory).even(tile) == _WRITTEN:
            return
        part = _written_part(instruction, tile)
        if part is None:
            self._fill(instruction, tile, _WRITTEN)
        else:
            self._put(instruction, tile, _numbers(tile, _WRITTEN), part)

    def _fill(self, instruction: Instruction, tile: Tile, number: int) -> None:
        self._of(tile.memory).fill(tile, _share_start(instruction, tile.memory), number)

    def _put(
        self,
        instruction: Instruction,
        tile: Tile,
        values: torch.Tensor,
        part: torch.Tensor | None = None,
    ) -> None:
        start = _share_start(instruction, tile.memory)
        self._of(tile.memory).put(tile, start, values, part)

    def _of(self, memory: Memory) -> States:
        states = self._states.get(id(memory))
        if states is None:
            # What the workspace holds before it is written is reported where GM is checked.
            size, fresh = memory.size_bytes, _UNWRITTEN
            if memory.share_bytes:
                size, fresh = memory.share_bytes, _WRITTEN
            states = self._states[id(memory)] = States(size, fresh, mixed=_UNWRITTEN)
        return states


def _counts(instruction: Instruction, tile: Tile) -> bool:
    if not tile.elements or not tile.is_in_memory():
        return False
    memory = tile.memory
    if memory.space != "gm":
        return True
    start = _share_start(instruction, memory)
    first, last = tile.span_bytes()
    return bool(memory.share_bytes) and start <= first and last <= start + memory.share_bytes


def _share_start(instruction: Instruction, memory: Memory) -> int:
    return instruction.core.block * memory.share_bytes


def _is_handed_out(instruction: Instruction) -> bool:
    """Whether an instruction writes to a tensor of the caller."""
    return any(
        tile.memory.space == "gm" and not _counts(instruction, tile) for tile in instruction.writes
    )


def _origins(state: torch.Tensor, site: int) -> torch.Tensor:
    """States with unwritten bytes laid at the door of the site that reads them now."""
    return torch.where(state == _UNWRITTEN, site + 1, state)


def _matrix(fractals: torch.Tensor) -> torch.Tensor:
    """[c1, r1, 16, c0] as the matrix [r1 * 16, c1 * c0] that it stores."""
    columns, rows, row, column = fractals.shape
    return fractals.permute(1, 2, 0, 3).reshape(rows * row, columns * column)


def _read_part(instruction: Instruction, state: torch.Tensor) -> torch.Tensor:
    """What an instruction reads of a tile: of fractals that leave as rows, the matrix in them."""
    if state.dim() != 4 or not instruction.writes or len(instruction.writes[0].sizes) != 2:
        return state
    rows, columns = instruction.writes[0].sizes
    return _matrix(state)[:rows, :columns]


def _numbers(tile: Tile, value: int) -> torch.Tensor:
    """One number for all elements of a tile."""
    return torch.tensor(value, dtype=torch.int16).expand(tile.sizes)


def _written_part(instruction: Instruction, tile: Tile) -> torch.Tensor | None:
    """The elements of a tile that an instruction writes; None for all.

    A matrix of rows that goes into fractals leaves the rest of the last ones as it was.
    """
    matrix = instruction.reads[0].sizes if instruction.reads else ()
    if len(tile.sizes) != 4 or len(matrix) != 2:
        return None
    columns, rows, row, column = tile.sizes
    if matrix == (rows * row, columns * column):
        return None
    return _fractals(torch.ones(matrix, dtype=torch.bool), tile.sizes)


def _fractals(matrix: torch.Tensor, sizes: tuple[int, ...]) -> torch.Tensor:
    """A matrix as the fractals [c1, r1, 16, c0] that store it; zeros where it ends early."""
    columns, rows, row, column = sizes
    padded = torch.zeros(rows * row, columns * column, dtype=matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded.reshape(rows, row, columns, column).permute(2, 0, 1, 3)


def _mark_lines(total: torch.Tensor, factor: Factor, lines: torch.Tensor) -> None:
    """Taints rows or columns of a product [n1, m1, 16, 16]."""
    count = total.shape[1] * 16 if factor.gives_rows else total.shape[0] * 16
    padded = torch.zeros(count, dtype=torch.int16)
    padded[: lines.numel()] = lines
    shape = (1, -1, 16, 1) if factor.gives_rows else (-1, 1, 1, 16)
    torch.maximum(total, padded.reshape(shape).expand(total.shape), out=total)


def _spread(state: torch.Tensor, sizes: tuple[int, ...]) -> torch.Tensor:
    """The taint of each result element: repeated where a source is, joined where it is reduced."""
    if state.dim() == 2 and len(sizes) == 4:
        return _fractals(state, sizes)
    fits = state.dim() == len(sizes) and all(
        have in (want, 1) or want == 1 for have, want in zip(state.shape, sizes, strict=True)
    )
    if not fits:
        return torch.full(sizes, int(state.max()), dtype=torch.int16)
    reduced = [
        dim
        for dim, (have, want) in enumerate(zip(state.shape, sizes, strict=True))
        if have != want and want == 1
    ]
    if reduced and prod(state.shape):
        state = state.amax(dim=reduced, keepdim=True)
    return state.expand(sizes)
