"""What all blocks touch in GM, compared: two blocks have no order between them.

Each tensor that the kernel writes keeps, for every element, which block wrote it, which read
it and which added to it. That shows an element written by two blocks, or written by one and
read by another, and, at the end, output elements that nobody wrote.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import torch

from tlcourse.simulator.footprints import Footprint
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine, Observer
from tlcourse.simulator.marks import Marks
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Place, Tile

_MANY = -1
# Of a larger tile that leaves its tensor, all of the tensor counts as meant.
_MOST_PLACES = 1 << 22


class OwnerReport(Protocol):
    """Takes what this check finds."""

    def between_blocks(
        self,
        instruction: Instruction,
        tile: Tile,
        other: int,
        hazard: str,
        partner: Instruction | None,
    ) -> None:
        """Two blocks touch an element and one of them writes it.

        `other` is -1 where it is not known, `partner` the other block's instruction if it is
        certain which statement that is.
        """
        ...

    def input_changed(self, instruction: Instruction, tile: Tile, elements: int) -> None:
        """A write replaces elements of an input that were read before."""
        ...

    def unwritten_in_gm(self, instruction: Instruction, tile: Tile, elements: int) -> None:
        """A block reads poison that nobody has replaced."""
        ...


class _Users:
    """Per element of one tensor: the block that did each kind of access, plus 1, or -1 for many."""

    def __init__(self, memory: Memory, *, is_read: bool) -> None:
        self.memory = memory
        self.write = Marks(memory)
        self.read = Marks(memory) if is_read else None
        self.add: Marks | None = None
        # Elements that a write was meant for which left the tensor, and so was not made.
        self.lost: torch.Tensor | None = None
        self.outside = 0
        # By access: the first instruction of each statement that touches the tensor.
        self.first: dict[str, dict[int, Instruction]] = {"write": {}, "read": {}, "add": {}}

    def marks(self, access: str) -> Marks | None:
        """The marks that an access leaves."""
        if access == "add" and self.add is None:
            self.add = Marks(self.memory)
        return {"read": self.read, "write": self.write, "add": self.add}[access]

    def against(self, access: str) -> list[tuple[Marks, str, str]]:
        """The marks that an access must not meet from other blocks: whose, and the hazard."""
        found: list[tuple[Marks | None, str, str]] = [
            (self.write, "write", "RAW" if access == "read" else "WAW"),
            (self.read if access != "read" else None, "read", "WAR"),
            (self.add if access != "add" else None, "add", "RAW" if access == "read" else "WAW"),
        ]
        return [(marks, whose, hazard) for marks, whose, hazard in found if marks is not None]

    def only(self, access: str) -> Instruction | None:
        """An instruction of the one statement that makes an access; None where several do."""
        found = self.first[access]
        return next(iter(found.values())) if len(found) == 1 else None

    def is_empty(self) -> torch.Tensor:
        """Which elements nobody wrote."""
        empty = self.write.cells == 0
        if self.add is not None:
            empty &= self.add.cells == 0
        return empty if self.lost is None else empty & ~self.lost

    def lose(self, tile: Tile) -> None:
        """Notes a write that is not made because the tile leaves the tensor."""
        if self.lost is None:
            self.lost = torch.zeros(self.write.count, dtype=torch.bool)
        if tile.elements > _MOST_PLACES:
            self.lost[:] = True
            return
        places = torch.tensor(tile.offset)
        for size, stride in zip(tile.sizes, tile.strides, strict=True):
            places = places[..., None] + torch.arange(max(size, 0)) * stride
        inside = places[(places >= 0) & (places < self.write.count)]
        self.lost[inside] = True
        self.outside += tile.elements - inside.numel()

    def replaced(self, tile: Tile) -> int:
        """How many units of a tile were read, and never written before."""
        if self.read is None:
            return 0
        return int(((self.read.of(tile) != 0) & (self.write.of(tile) == 0)).sum())

    def missing(self, tile: Tile) -> int:
        """How many units of a tile nobody wrote."""
        empty = self.write.of(tile) == 0
        return int((empty if self.add is None else empty & (self.add.of(tile) == 0)).sum())


@dataclass
class _EarlyRead:
    """A read of elements that nobody had written yet.

    Args:
        instruction: what reads.
        tile: what is read.
        missing: how many elements were not written.
        is_certain: the core itself writes them behind the read, so no race brought this about.
    """

    instruction: Instruction
    tile: Tile
    missing: int
    is_certain: bool = False

    def is_in_front_of(self, other: Instruction) -> bool:
        """Whether the text of one core has the read in front of another instruction."""
        mine = self.instruction
        return mine.core is other.core and mine.order < other.order


class Owners(Observer):
    """Follows the elements of written GM memories through all blocks.

    Args:
        report: told of every clash.
        written: memories that the kernel writes.
        read: ids of those among them that it also reads.
        fresh: ids of those among them that held poison at the launch.
        inputs: ids of those that the launch does not call outputs, although it has some.
        ordered: blocks run together and barriers may order them, so that clashes between them
            are left to the clocks.
    """

    def __init__(
        self,
        report: OwnerReport,
        *,
        written: Iterable[Memory],
        read: frozenset[int],
        fresh: frozenset[int],
        inputs: frozenset[int] = frozenset(),
        ordered: bool,
    ) -> None:
        self._report = report
        self._ordered = ordered
        self._fresh = fresh
        self._inputs = inputs
        self._users = {id(m): _Users(m, is_read=id(m) in read) for m in written}
        self._early: list[_EarlyRead] = []
        # Memories of which every element is written.
        self._complete: set[int] = set()
        # What the block that runs has done before, and nothing was to be said of it.
        self._quiet: set[tuple[int, str, int, Place]] = set()
        self._quiet_block = 0

    def executed(self, instruction: Instruction) -> None:
        atomic = instruction.site.atomic
        for tile in instruction.reads:
            if tile.memory.space == "gm" and not atomic:
                self._touch(instruction, tile, "read")
        for tile in instruction.writes:
            if tile.memory.space == "gm":
                self._touch(instruction, tile, "add" if atomic else "write")

    def finished(self, machine: Machine) -> None:
        """Reports early reads, but for those that a later write shows to be races."""
        for early in self._early:
            missing = self._users[id(early.tile.memory)].missing(early.tile)
            if missing or early.is_certain:
                elements = early.missing if early.is_certain else missing
                self._report.unwritten_in_gm(early.instruction, early.tile, elements)
        self._early.clear()

    def take(self, footprint: Footprint) -> None:
        """Notes what blocks wrote that ran together, and of which nobody met another."""
        memory, shifts = footprint.memory, footprint.shifts
        if not footprint.writes:
            return
        if footprint.written() * len(shifts) * memory.unit_bytes == memory.size_bytes:
            self._complete.add(id(memory))
            return
        marks = self._users[id(memory)].write
        for shift in shifts.tolist():
            for tile in footprint.writes:
                marks.fill(tile.moved(shift), 1)

    def unwritten(self, memory: Memory) -> torch.Tensor:
        """Flat indices of the elements that nobody wrote.

        A write that left the tensor is a finding of its own. It was meant for what it covers,
        and where it stands too far on, for as many elements as lie outside; where its extent
        is below 0 nobody knows.
        """
        users = self._users.get(id(memory))
        if id(memory) in self._complete:
            return torch.empty(0, dtype=torch.int64)
        if users is None:
            return torch.arange(memory.own_bytes // memory.unit_bytes)
        own = users.is_empty()[: memory.own_bytes // memory.unit_bytes]
        found = own.nonzero().reshape(-1)
        return found if found.numel() > users.outside else found[:0]

    def _touch(self, instruction: Instruction, tile: Tile, access: str) -> None:
        users = self._users.get(id(tile.memory))
        if users is None:
            return
        if access != "read" and tile.outside is not None and tile.outside.is_negative:
            users.outside = users.write.count
        if tile.elements == 0:
            return
        if not tile.is_in_memory():
            if access != "read":
                users.lose(tile)
            return
        if self._is_repeated(instruction, tile, access):
            return
        if id(tile.memory) in self._fresh:
            self._note_early(users, instruction, tile, access)
        if access == "write" and id(tile.memory) in self._inputs:
            changed = users.replaced(tile)
            if changed:
                self._quiet.clear()
                self._report.input_changed(instruction, tile, changed)
        users.first[access].setdefault(instruction.site.index, instruction)
        me = instruction.core.block + 1
        if not self._ordered:
            self._compare(users, instruction, tile, access, me)
        marks = users.marks(access)
        if marks is None:
            return
        low, high = (0, 0) if access == "write" else _range(marks.of(tile))
        if {low, high} <= {0, me}:
            marks.fill(tile, me)
        else:
            seen = marks.of(tile)
            marks.put(tile, torch.where((seen == 0) | (seen == me), me, _MANY))

    def _is_repeated(self, instruction: Instruction, tile: Tile, access: str) -> bool:
        """Whether the block has made this very access before, and it can only go as it went.

        Only the block that runs changes the marks, and it only adds its own; what it read early
        keeps it from being sure.
        """
        me = instruction.core.block + 1
        if me != self._quiet_block or self._ordered or self._early:
            self._quiet, self._quiet_block = set(), me
        key = id(tile.memory), access, instruction.site.index, tile.place()
        if key in self._quiet:
            return True
        self._quiet.add(key)
        return False

    def _note_early(self, users: _Users, instruction: Instruction, tile: Tile, access: str) -> None:
        if access == "read":
            missing = users.missing(tile)
            if missing:
                self._early.append(_EarlyRead(instruction=instruction, tile=tile, missing=missing))
            return
        for early in self._early:
            if early.tile.overlaps(tile) and early.is_in_front_of(instruction):
                early.is_certain = True

    def _compare(
        self, users: _Users, instruction: Instruction, tile: Tile, access: str, me: int
    ) -> None:
        for marks, whose, hazard in users.against(access):
            low, high = _range(marks.of(tile))
            if not {low, high} <= {0, me}:
                other = next((m - 1 for m in (high, low) if m > 0 and m != me), -1)
                partner = users.only(whose)
                self._quiet.clear()
                self._report.between_blocks(instruction, tile, other, hazard, partner)


def _range(cells: torch.Tensor) -> tuple[int, int]:
    low, high = torch.aminmax(cells)
    return int(low), int(high)
