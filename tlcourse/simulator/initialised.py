"""Reads of on-chip memory that nothing has written, followed to where they do harm.

A vector op may compute on a tile whose tail holds nothing, as long as the tail's results are
never used. So, like the memory checkers for C, a read of unwritten bytes only taints what is
computed from them; the finding comes when tainted bytes leave for GM or become a scalar.

The order that counts is the order in which a core issues: a write that was issued before is
there, or it is a race, which `clocks` reports.
"""

from __future__ import annotations

from math import prod
from typing import Protocol

import torch

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine, Observer
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Tile

_UNWRITTEN = -1


class UninitialisedReport(Protocol):
    """Takes what this check finds."""

    def uninitialised(
        self, instruction: Instruction, origin: int, tile: Tile, elements: int
    ) -> None:
        """Elements that came from unwritten memory are used; site `origin` read them first."""
        ...


class Initialised(Observer):
    """Keeps a number per byte: 0 written, -1 unwritten, else the site that tainted it, plus 1."""

    def __init__(self, report: UninitialisedReport) -> None:
        self._report = report
        self._cells: dict[int, torch.Tensor] = {}
        self._staged: dict[int, int] = {}

    def begin(self, machine: Machine) -> None:
        """Forgets what earlier blocks wrote."""
        self._staged = {}
        for core in machine.cores:
            for memory in core.memories.values():
                self._of(memory).fill_(_UNWRITTEN)

    def issued(self, instruction: Instruction) -> None:
        taint = self._taint_of_waits(instruction)
        states = [(tile, self._state(tile)) for tile in instruction.reads if _counts(tile)]
        dirty = [(tile, state) for tile, state in states if bool(state.any())]
        if dirty and (_leaves_the_core(instruction) or instruction.pipe.name == "S"):
            self._use(instruction, *dirty[0])
            dirty = []
        self._stage(instruction, dirty)
        for tile in instruction.writes:
            if _counts(tile):
                self._write(instruction, tile, [state for _, state in dirty], taint)
        for tile in instruction.clobbers:
            if _counts(tile):
                self._bytes(tile).fill_(_UNWRITTEN)

    def _use(self, instruction: Instruction, tile: Tile, state: torch.Tensor) -> None:
        bad = state[state != 0]
        origin = int(bad.reshape(-1)[0]) - 1
        site = instruction.site.index if origin < 0 else origin
        self._report.uninitialised(instruction, site, tile, bad.numel())

    def _stage(self, instruction: Instruction, dirty: list[tuple[Tile, torch.Tensor]]) -> None:
        """Remembers the taint of what an instruction hands on inside the core, L1 to L0."""
        if dirty and not instruction.writes and instruction.sets:
            origin = int(_origins(dirty[0][1], instruction.site.index).max())
            self._staged[id(instruction.sets[0])] = origin

    def _taint_of_waits(self, instruction: Instruction) -> int:
        if not self._staged:
            return 0
        return max((self._staged.get(id(token), 0) for token in instruction.waits), default=0)

    def _write(
        self, instruction: Instruction, tile: Tile, states: list[torch.Tensor], taint: int
    ) -> None:
        cells = self._bytes(tile)
        if not states:
            cells.fill_(taint)
            return
        site = instruction.site.index
        total = torch.full(tile.sizes, taint, dtype=torch.int16)
        for state in states:
            total = torch.maximum(total, _spread(_origins(state, site), tile.sizes))
        every_byte = self._of(tile.memory).as_strided(
            (*tile.sizes, tile.width),
            (*(stride * tile.width for stride in tile.strides), 1),
            tile.span_bytes()[0],
        )
        every_byte.copy_(total.unsqueeze(-1))

    def _state(self, tile: Tile) -> torch.Tensor:
        """The number of the first byte of each element."""
        strides = tuple(stride * tile.width for stride in tile.strides)
        return self._of(tile.memory).as_strided(tile.sizes, strides, tile.span_bytes()[0])

    def _bytes(self, tile: Tile) -> torch.Tensor:
        layout = tile.layout()
        sizes = (*(count for count, _ in layout.loops), layout.run_bytes)
        strides = (*(step for _, step in layout.loops), 1)
        return self._of(tile.memory).as_strided(sizes, strides, layout.start_bytes)

    def _of(self, memory: Memory) -> torch.Tensor:
        cells = self._cells.get(id(memory))
        if cells is None:
            cells = torch.full((memory.size_bytes,), _UNWRITTEN, dtype=torch.int16)
            self._cells[id(memory)] = cells
        return cells


def _counts(tile: Tile) -> bool:
    return tile.memory.space != "gm" and tile.elements > 0 and tile.is_in_memory()


def _leaves_the_core(instruction: Instruction) -> bool:
    return any(tile.memory.space == "gm" for tile in instruction.writes)


def _origins(state: torch.Tensor, site: int) -> torch.Tensor:
    """States with unwritten bytes laid at the door of the site that reads them now."""
    return torch.where(state == _UNWRITTEN, site + 1, state)


def _spread(state: torch.Tensor, sizes: tuple[int, ...]) -> torch.Tensor:
    """The taint of each result element: repeated where a source is, joined where it is reduced."""
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
