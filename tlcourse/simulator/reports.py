"""Turns what the checks see into faults with words: the one place that knows both sides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from tlcourse.chips import Chip
from tlcourse.records import Mode
from tlcourse.simulator import bounds_words, flag_words, race_words, wording
from tlcourse.simulator.findings import Fault, FindingLog
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.machine import Pipe
from tlcourse.simulator.sync import FlagKey
from tlcourse.simulator.tile import Outside, Tile

_BARRIER_OF_BLOCKS = (
    '; where all blocks run at a time, T.pipe_barrier("PIPE_ALL") and T.block_barrier(id) in '
    'T.rs("PIPE_S") between the two statements order them'
)
_APART = (
    "let the region depend on the block id so that blocks do not meet, or use T.atomic_add where "
    "their results add up"
)
_ADD_ALL = (
    "let every block add with T.atomic_add, and none of them write or read: the caller clears the "
    "tensor in front of the launch and reads it behind"
)
_START_FROM_ZERO = (
    "let the first product of a sum start from zero: T.gemm(.., initC=True), or in a loop "
    "initC=(k == 0)"
)


@dataclass
class _MissingFlag:
    """Races between two pipes that one and the same flag would prevent.

    Args:
        key: of the fault that stands for them.
        raised_behind: the last instruction that the flag has to be raised behind.
        waited_before: the first one that has to wait for it.
        is_new: the fault was first seen here.
    """

    key: Hashable
    raised_behind: Instruction
    waited_before: Instruction
    is_new: bool

    def covers(self, earlier: Instruction, later: Instruction) -> bool:
        """Whether the flag can be raised behind a further instruction as well."""
        if earlier.core is later.core:
            return earlier.order < self.waited_before.order
        return earlier.turn == self.raised_behind.turn and later.turn == self.waited_before.turn


class Reports:
    """Listens to all checks of a run and fills its log."""

    def __init__(self, log: FindingLog, sites: list[Site], chip: Chip, mode: Mode) -> None:
        self._mode: Mode = mode
        self._log = log
        self._sites = sites
        self._chip = chip
        self._missing: dict[tuple[Pipe, Pipe], _MissingFlag] = {}
        self._outside: dict[Hashable, Hashable] = {}
        self._same: dict[Hashable, Hashable] = {}

    def race(self, earlier: Instruction, later: Instruction, tile: Tile, hazard: str) -> None:
        """TL521 inside a core, TL522 between cores: two accesses without an order."""
        inside = earlier.core is later.core
        if _is_backwards(earlier, later, hazard):
            earlier, later, hazard = later, earlier, hazard[::-1]
        places = (earlier.core.kind, earlier.pipe.name, later.core.kind, later.pipe.name)
        own = ("race", inside, *places, later.site.index)
        pair = earlier.pipe, later.pipe
        missing = self._missing.get(pair)
        if missing is not None and missing.covers(earlier, later):
            self._same.setdefault(own, missing.key)
            self._widen(missing, earlier)
            return
        key = self._same.get(own, own)
        is_new = not self._log.knows(key)
        self._missing[pair] = _MissingFlag(
            key=key, raised_behind=earlier, waited_before=later, is_new=is_new
        )
        if is_new:
            found = race_words.fault(earlier, later, tile, hazard, key, self._line, self._mode)
            self._log.add(found)

    def _widen(self, missing: _MissingFlag, earlier: Instruction) -> None:
        """Lets the remedy of a known race cover one more instruction."""
        self._log.knows(missing.key)
        if earlier.order <= missing.raised_behind.order:
            return
        missing.raised_behind = earlier
        if missing.is_new:
            words = race_words.fix(earlier, missing.waited_before, self._line, self._mode)
            self._log.refine(missing.key, words)

    def overflow(self, instruction: Instruction, pending: int) -> None:
        """TL526: a cross-core counter is raised too often ahead of its waits."""
        self._add(flag_words.overflow(instruction, pending, self._chip))

    def raised_twice(self, instruction: Instruction, first: Instruction, key: FlagKey) -> None:
        """TL524: a flag inside a core is raised while it is up."""
        self._add(flag_words.raised_twice(instruction, first, key))

    def left_up(self, instruction: Instruction, key: FlagKey, count: int) -> None:
        """TL503: a flag is up at the end of the block."""
        self._add(flag_words.left_up(instruction, key, count))

    def bad_flag_id(self, instruction: Instruction, key: FlagKey) -> None:
        """TL525: a flag id that the chip does not have."""
        self._add(flag_words.bad_id(instruction, key, self._chip))

    def _add(self, fault: Fault) -> None:
        """Takes a fault, or counts it where it is known."""
        if not self._log.knows(fault.key):
            self._log.add(fault)

    def uninitialised(
        self, instruction: Instruction, origin: int, tile: Tile, elements: int
    ) -> None:
        """TL520: data that nobody wrote leaves the core or becomes a scalar."""
        key = ("uninitialised", origin)
        if self._log.knows(key):
            return
        first = self._sites[origin]
        direct = origin == instruction.site.index
        through = "" if direct else f"; {first.op} read them first"
        adds = first.kind == "mmad"
        self._log.add(
            Fault(
                key=key,
                code="TL520",
                at=instruction,
                other_span=-1 if direct else first.span,
                what=f"{wording.operation(instruction)} uses {wording.part(elements, tile)} that "
                f"{'holds' if elements == 1 else 'hold'} nothing yet, "
                f"{wording.where(instruction)}{through}",
                why="on-chip memory holds whatever was left in it; the simulator fills it with "
                "NaN, or 32767 in each half word, so that such a read shows",
                fix=_START_FROM_ZERO
                if adds
                else "copy or compute the missing part first (T.clear and T.vbrc give all of a "
                "tile a value), or leave it out: take the same slice on both sides of the "
                "statement",
                label="the values are used here",
                other_label=f"{first.op} adds to what nobody has written"
                if adds
                else f"{first.op} reads memory that nobody has written",
            )
        )

    def between_blocks(
        self,
        instruction: Instruction,
        tile: Tile,
        other: int,
        hazard: str,
        partner: Instruction | None,
    ) -> None:
        """TL523: two blocks touch the same element of GM and one writes it."""
        key = ("blocks", tile.name)
        if self._log.knows(key):
            return
        who = f"block {other}" if other >= 0 else "another block"
        verb, also = _verbs(instruction, partner, hazard)
        mine = wording.operation(instruction)
        self._log.add(
            Fault(
                key=key,
                code="TL523",
                at=instruction,
                other=partner if partner and partner.site is not instruction.site else None,
                what=f"block {instruction.core.block} {verb} elements of {tile.name} that {who} "
                f"{also}",
                why="blocks run in any order and side by side on different cores, so which "
                "value is seen or stays is chance",
                fix=_ADD_ALL if "adds to" in (verb, also) else _APART + _barrier_of(hazard),
                label=f"{mine} of block {instruction.core.block}",
                other_label=f"{wording.operation(partner)} of {who}" if partner else "",
                excuses=(("input", tile.name), *self._reads(instruction, partner)),
            )
        )

    def _reads(self, instruction: Instruction, partner: Instruction | None) -> tuple[Hashable, ...]:
        return tuple(("unwritten", one.site.index) for one in (instruction, partner) if one)

    def input_changed(self, instruction: Instruction, tile: Tile, elements: int) -> None:
        """TL532: a kernel with outputs of its own writes over what it was given to read."""
        key = ("input", tile.name)
        if self._log.knows(key):
            return
        self._log.add(
            Fault(
                key=key,
                code="TL532",
                at=instruction,
                severity="warning",
                what=f"{wording.operation(instruction)} changes {elements:,} elements of the input "
                f"{tile.name}, {wording.where(instruction)}, after they were read",
                why=f"out_idx does not name {tile.name} as an output, so a caller expects it to "
                "be as it was",
                fix=f"store the result in an output; where {tile.name} is meant to change, leave "
                "out_idx away and pass all tensors in",
                label=f"{tile.name} is changed here",
            )
        )

    def unwritten_in_gm(self, instruction: Instruction, tile: Tile, elements: int) -> None:
        """TL520: a read of an output or of the workspace before anybody wrote it."""
        key = ("unwritten", instruction.site.index)
        if self._log.knows(key):
            return
        self._log.add(
            Fault(
                key=key,
                code="TL520",
                at=instruction,
                what=f"{wording.operation(instruction)} reads {wording.part(elements, tile)} in GM "
                f"that nobody has written, {wording.where(instruction)}",
                why="the launch allocates outputs and the workspace without clearing them",
                fix=f"write {tile.name} before it is read, or pass it in as an argument",
                label="these elements hold poison",
            )
        )

    def outside(self, instruction: Instruction, tile: Tile, how: Outside, access: str) -> None:
        """TL501: a tile leaves its tensor or its memory; TL508: not the device's memory."""
        own = ("outside", instruction.site.index, tile.name, tile.is_beside())
        block = instruction.core.block
        same = (block, how.dim, how.start, how.stop, how.limit, tile.is_beside())
        if how.is_negative:
            same = (block, how.stop - how.start)
        # Statements that leave together, by the same extents, have one cause.
        key = self._same.setdefault(own, self._outside.get(same, own))
        if self._log.knows(key):
            if key != own and self._cut_of(how) < 0:
                also = "that of" if how.is_negative else "so does"
                self._log.add_place(
                    key, instruction, f"{also} {tile.name}, which {instruction.site.op} {access}"
                )
            return
        self._outside[same] = key
        self._log.add(bounds_words.fault(instruction, tile, how, access, key, self._cut_of(how)))

    def misaligned(self, instruction: Instruction, tile: Tile, start: int) -> None:
        """TL533: a transfer starts inside a slot of UB; in Developer mode the compiler shifts."""
        key = ("misaligned", instruction.site.index)
        if self._mode == "Expert" and not self._log.knows(key):
            slot = self._chip.align_bytes["ub"]
            self._log.add(bounds_words.inside_a_slot(instruction, tile, start, slot, key))

    def _line(self, instruction: Instruction) -> str:
        """Where an instruction stands in the learner's text."""
        span = self._log.span(instruction.site.span)
        return f"line {span.line}" if span else wording.operation(instruction)

    def _cut_of(self, how: Outside) -> int:
        """The statement that cuts a tile and does nothing else; -1 where there is none.

        `v[i, j] = u[i + 1, j]` only names a part of u: a later statement is the one to read it.
        """
        return -1 if any(site.span == how.span for site in self._sites) else how.span

    def disagree(self, instruction: Instruction, source: Tile, target: Tile) -> None:
        """TL505: extents that depend on the run do not fit together."""
        key = ("disagree", instruction.site.index)
        if self._log.knows(key):
            return
        self._log.add(
            Fault(
                key=key,
                code="TL505",
                at=instruction,
                what=f"{instruction.site.op} pairs {wording.tile(source)} {source.sizes} with "
                f"{wording.tile(target)} {target.sizes} {wording.where(instruction)}",
                why="a statement on tiles pairs element with element, so their extents must be "
                "equal",
                fix="give both sides the same slice, for example "
                "T.copy(A[m : m + n, 0:64], A_ub[0:n, 0:64])",
                label="extents disagree here",
            )
        )


def _is_backwards(earlier: Instruction, later: Instruction, hazard: str) -> bool:
    """Whether the later access is the one that is meant to come first.

    In a core the text says so; between cores it is the earlier loop turn, else the writer.
    """
    if earlier.core is later.core:
        return earlier.order > later.order
    if len(earlier.turn) == len(later.turn) and earlier.turn != later.turn:
        return earlier.turn > later.turn
    return hazard == "WAR"


def _verbs(instruction: Instruction, partner: Instruction | None, hazard: str) -> tuple[str, str]:
    """What two blocks do with the same elements."""
    mine = "adds to" if instruction.site.atomic else "writes"
    other = "adds to" if partner is not None and partner.site.atomic else "writes"
    if hazard == "RAW":
        return "reads", other
    if hazard == "WAR":
        return mine, "reads"
    return mine, f"{other}, too" if mine == other else other


def _barrier_of(hazard: str) -> str:
    return "" if hazard == "WAW" else _BARRIER_OF_BLOCKS
