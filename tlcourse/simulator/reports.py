"""Turns what the checks see into faults with words: the one place that knows both sides."""

from __future__ import annotations

from tlcourse.chips import Chip
from tlcourse.simulator import wording
from tlcourse.simulator.core import Core
from tlcourse.simulator.findings import Fault, FindingLog
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.sync import FlagKey
from tlcourse.simulator.tile import Outside, Tile
from tlcourse.slack import BESIDE_WHY

_RACES = {
    "RAW": "{later} reads {tile} while {earlier} may still be writing it",
    "WAR": "{later} overwrites {tile} while {earlier} may still be reading it",
    "WAW": "{later} and {earlier} both write {tile}, in no certain order",
}
_OUTSIDE_WHY = (
    "nothing on the chip checks this; the hardware would touch whatever lies beside it, "
    "without a word"
)


class Reports:
    """Listens to all checks of a run and fills its log."""

    def __init__(self, log: FindingLog, sites: list[Site], chip: Chip) -> None:
        self._log = log
        self._sites = sites
        self._chip = chip

    def race(self, earlier: Instruction, later: Instruction, tile: Tile, hazard: str) -> None:
        """TL521 inside a core, TL522 between cores: two accesses without an order."""
        inside = earlier.core is later.core
        if not inside and _is_backwards(earlier, later, hazard):
            earlier, later, hazard = later, earlier, hazard[::-1]
        places = (earlier.core.kind, earlier.pipe.name, later.core.kind, later.pipe.name)
        key = ("race", inside, *places, later.site.index)
        if self._log.knows(key):
            return
        why, fix = _race_in_core(earlier, later) if inside else _race_of_cores(earlier, later)
        what = _RACES[hazard].format(
            later=_who(later, inside), earlier=_who(earlier, inside), tile=wording.tile(tile)
        )
        self._log.add(
            Fault(
                key=key,
                code="TL521" if inside else "TL522",
                at=later,
                other=earlier,
                what=f"{what} {wording.where(later)}",
                why=why,
                fix=fix,
                label=f"{later.site.op} on {later.pipe.name}",
                other_label=f"{earlier.site.op} on {earlier.pipe.name}",
                excuses=_flags_of_race(earlier, later),
            )
        )

    def overflow(self, instruction: Instruction, pending: int) -> None:
        """TL526: a cross-core counter is raised too often ahead of its waits."""
        limit = self._chip.cross_core_flag_limit
        key = ("overflow", instruction.site.index)
        if self._log.knows(key):
            return
        number = _flag_key(instruction).flag
        self._log.add(
            Fault(
                key=key,
                code="TL526",
                at=instruction,
                what=f"cross-core flag {number} may be raised {pending} times before "
                f"{_receivers(instruction)} has taken one down {wording.where(instruction)}",
                why=f"the counter of a cross-core flag on {self._chip.name} holds {limit}; a "
                "further raise is lost",
                fix=f"wait for an answer of the other core after at most {limit} raises, or "
                "use more flag ids in turn",
                label=f"raise {pending} without a wait that is certain to be over",
            )
        )

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
        self._log.add(
            Fault(
                key=key,
                code="TL520",
                at=instruction,
                other_span=-1 if direct else first.span,
                what=f"{instruction.site.op} uses {elements:,} of {tile.elements:,} elements of "
                f"{wording.tile(tile)} that hold nothing yet {wording.where(instruction)}"
                f"{through}",
                why="on-chip memory holds whatever was left in it; the simulator fills it with "
                "NaN, or 32767 in each half word, so that such a read shows",
                fix="copy or compute the missing part first, or leave it out: take the same "
                "slice on both sides of the statement",
                label="the values are used here",
                other_label=f"{first.op} reads memory that nobody has written",
            )
        )

    def between_blocks(self, instruction: Instruction, tile: Tile, other: int, hazard: str) -> None:
        """TL523: two blocks touch the same element of GM and one writes it."""
        key = ("blocks", instruction.site.index, hazard)
        if self._log.knows(key):
            return
        who = f"block {other}" if other >= 0 else "another block"
        done = {"RAW": "reads what {} writes", "WAR": "writes what {} reads"}
        verb = done.get(hazard, "writes what {} writes, too").format(who)
        self._log.add(
            Fault(
                key=key,
                code="TL523",
                at=instruction,
                what=f"block {instruction.core.block} {verb}: elements of {tile.name} that "
                f"{instruction.site.op} touches",
                why="blocks run in any order and side by side on different cores, so which "
                "value is seen or stays is chance",
                fix="let the region depend on the block id so that blocks do not meet, or use "
                "T.atomic_add where their results add up",
                label=f"{instruction.site.op} touches elements of {who}",
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
                what=f"{instruction.site.op} reads {elements:,} elements of {tile.name} in GM "
                f"that nobody has written {wording.where(instruction)}",
                why="the launch allocates outputs and the workspace without clearing them",
                fix=f"write {tile.name} before it is read, or pass it in as an argument",
                label="these elements hold poison",
            )
        )

    def outside(self, instruction: Instruction, tile: Tile, how: Outside, access: str) -> None:
        """TL501: a tile leaves its tensor or its memory; TL508: not the device's memory."""
        beside = tile.is_beside()
        key = ("outside", instruction.site.index, tile.name, beside)
        if self._log.knows(key):
            return
        name = wording.tile(tile)
        cut = self._cut_of(how)
        if how.dim < 0:
            what = f"elements {how.start:,} to {how.stop - 1:,}, but there are {how.limit:,}"
        else:
            what = (
                f"dimension {how.dim} from {how.start:,} to {how.stop - 1:,}, "
                f"but its extent is {how.limit:,}"
            )
        self._log.add(
            Fault(
                key=key,
                code="TL508" if beside else "TL501",
                severity="warning" if beside else "error",
                at=instruction,
                cut=cut,
                other_span=instruction.site.span if cut >= 0 else -1,
                other_label=f"{instruction.site.op} {access} it here",
                what=f"{instruction.site.op} {access} {name} outside its bounds "
                f"{wording.where(instruction)}: {what}",
                why=BESIDE_WHY if beside else _OUTSIDE_WHY,
                fix=f"let the last tile end with {tile.name or name}: an extent of "
                "T.min(block, size - start) on both sides of the statement",
                label=f"reaches {how.stop - how.limit:,} too far"
                if how.stop > how.limit
                else f"starts at {how.start:,}",
            )
        )

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

    def raised_twice(self, instruction: Instruction, first: Instruction, key: FlagKey) -> None:
        """TL524: a flag inside a core is raised while it is up."""
        fault = ("flag", key.set_pipe, key.wait_pipe, instruction.core.kind)
        if self._log.knows(fault):
            return
        self._log.add(
            Fault(
                key=fault,
                code="TL524",
                at=instruction,
                other=first,
                what=f"{wording.flag(key, instruction.core.machine.cores)} is raised again "
                f"before its first raise is waited for {wording.where(instruction)}",
                why="a flag inside a core is one bit: two raises look like one, and one of the "
                "waits never ends",
                fix=f"write {wording.wait_call(key)} between the two raises, or use another id",
                label="raised again here",
                other_label="raised here first",
            )
        )

    def left_up(self, instruction: Instruction, key: FlagKey, count: int) -> None:
        """TL503: a flag is up at the end of the block."""
        cores = instruction.core.machine.cores
        fault: tuple[object, ...] = ("flag", key.set_pipe, key.wait_pipe, instruction.core.kind)
        if key.is_between_cores:
            receiver = cores[key.receiver]
            fault = ("flag", instruction.core.kind, receiver.kind, "cores")
        if self._log.knows(fault):
            return
        self._log.add(
            Fault(
                key=fault,
                code="TL503",
                at=instruction,
                severity="warning",
                what=f"{wording.flag(key, cores)} is raised {wording.times(count)} more than "
                f"{_taker(key, cores)} waits for it in block {instruction.core.block}",
                why="a flag stays up after the block: the next block on this core finds it "
                "raised and does not wait when it should",
                fix=f"write one {wording.wait_call(key)} for each {wording.set_call(key)}",
                label="nobody waits for this raise",
            )
        )

    def bad_flag_id(self, instruction: Instruction, key: FlagKey) -> None:
        """TL525: a flag id that the chip does not have."""
        fault = ("flag id", instruction.site.index)
        if self._log.knows(fault):
            return
        between = key.is_between_cores
        ids = self._chip.cross_core_flag_ids if between else self._chip.event_ids
        documented = not between and 0 <= key.flag < 16
        self._log.add(
            Fault(
                key=fault,
                code="TL525",
                at=instruction,
                severity="warning" if documented else "error",
                what=f"flag id {key.flag} is used {wording.where(instruction)}; "
                f"{self._chip.name} has the ids 0 to {ids - 1}",
                why="TileLang's documentation allows ids up to 15 here, the chip's does not"
                if documented
                else "a flag with another id does not exist on the chip",
                fix=f"use an id from 0 to {ids - 1}; take it modulo the number of buffers",
                label=f"this id is {key.flag}",
            )
        )


def _is_backwards(earlier: Instruction, later: Instruction, hazard: str) -> bool:
    """Between cores nothing says which side comes first: the earlier loop turn, else the writer."""
    if len(earlier.turn) == len(later.turn) and earlier.turn != later.turn:
        return earlier.turn > later.turn
    return hazard == "WAR"


def _who(instruction: Instruction, inside: bool) -> str:
    place = "" if inside else f" of {wording.core(instruction.core)}"
    return f"{instruction.site.op}{place}"


def _race_in_core(earlier: Instruction, later: Instruction) -> tuple[str, str]:
    pipe, other = later.pipe.name, earlier.pipe.name
    if pipe == other:
        return (
            f"{pipe} starts an instruction before the one in front of it has finished, unless "
            "a barrier or a flag stands between them",
            f'write T.pipe_barrier("PIPE_{pipe}") between the two lines, or let the compiler '
            "do it (pass config npuir.disable_hivm_auto_inject_sync: False)",
        )
    return (
        f"{other} and {pipe} work side by side; only a flag makes one wait for the other, and "
        "no flag does so here",
        f'raise a flag behind the first line, T.set_flag("PIPE_{pipe}", id) in '
        f'T.rs("PIPE_{other}"), and wait for it in front of the second, '
        f'T.wait_flag("PIPE_{other}", id) in T.rs("PIPE_{pipe}"); or let the compiler do it '
        "(pass config npuir.disable_hivm_auto_inject_sync: False)",
    )


def _race_of_cores(earlier: Instruction, later: Instruction) -> tuple[str, str]:
    return (
        f"{wording.core(earlier.core)} and {wording.core(later.core)} run their own "
        "instructions; only a cross-core flag makes one wait for the other",
        f"write T.sync_block_set(id) behind the first line in {wording.scope(earlier.core)} and "
        f"T.sync_block_wait(id) in front of the second in {wording.scope(later.core)}",
    )


def _flags_of_race(earlier: Instruction, later: Instruction) -> tuple[tuple[object, ...], ...]:
    """Flags left up between the two sides of a race: a wait is missing, which is the race."""
    if earlier.core is later.core:
        return (("flag", earlier.pipe.name, later.pipe.name, later.core.kind),)
    return (("flag", earlier.core.kind, later.core.kind, "cores"),)


def _flag_key(instruction: Instruction) -> FlagKey:
    flag = instruction.sets[0].flag
    assert flag is not None
    return flag.key


def _receivers(instruction: Instruction) -> str:
    return _taker(_flag_key(instruction), instruction.core.machine.cores)


def _taker(key: FlagKey, cores: list[Core]) -> str:
    return wording.core(cores[key.receiver]) if key.is_between_cores else key.wait_pipe
