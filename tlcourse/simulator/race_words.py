"""A race in words: who touches what, why nothing orders it, and the flag that is missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tlcourse.records import Mode
from tlcourse.simulator import wording
from tlcourse.simulator.findings import Fault
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.tile import Tile

Line = Callable[[Instruction], str]
"""Gives the place of an instruction in the learner's text, for example `line 12`."""

_RACES = {
    "RAW": "{later} reads {tile} while {earlier} may still be writing {it}",
    "WAR": "{later} overwrites {tile} while {earlier} may still be reading {it}",
    "WAW": "{later} and {earlier} both write {tile}, in no certain order,",
}
_IN_SHARED_BYTES = "{later} writes {tile} and {earlier} writes {it} in no certain order,"
_ALL_OVER = 'T.pipe_barrier("PIPE_ALL")'
_IN_CORES = "(pass config npuir.disable_hivm_auto_inject_sync: False)"
_BETWEEN_CORES = "(pass config npuir.disable_auto_inject_block_sync: False)"
_BY_COMPILER = f"; or let the compiler do it {_IN_CORES}"


def fault(
    earlier: Instruction,
    later: Instruction,
    tile: Tile,
    hazard: str,
    key: Hashable,
    line: Line,
    mode: Mode,
) -> Fault:
    """TL521 inside a core, TL522 between cores.

    Args:
        earlier: the access that may not be over.
        later: the access that nothing holds back.
        tile: what the later one touches.
        hazard: RAW, WAR or WAW.
        key: of the fault.
        line: tells where an instruction stands.
        mode: in Developer mode the compiler alone writes flags.
    """
    inside = earlier.core is later.core
    other = _other_name(earlier, tile)
    why, _ = (_inside if inside else _between)(earlier, later, line)
    front = _front(later, line) + ("" if inside else f" in {wording.scope(later.core)}")
    if other:
        why += (
            f"; the compiler gave {wording.short(tile)} the place of {other}, which it saw no more "
            "use for"
        )
    same_line = earlier.site.span == later.site.span and earlier.site.op == later.site.op
    place = f" on {later.pipe.name}" + (" of both" if same_line and not inside else "")
    return Fault(
        key=key,
        code="TL521" if inside else "TL522",
        at=later,
        other=None if same_line else earlier,
        what=f"{_what(earlier, later, tile, hazard)} {_where(earlier, later)}".rstrip(", "),
        why=why,
        fix=fix(earlier, later, line, mode),
        label=f"{wording.operation(later)}{place}",
        other_label=f"{wording.operation(earlier)} on {earlier.pipe.name}",
        excuses=(*_flags(earlier, later), ("input", tile.name)),
        front=front if mode == "Expert" else "",
    )


def _what(earlier: Instruction, later: Instruction, tile: Tile, hazard: str) -> str:
    other = _other_name(earlier, tile)
    form = _IN_SHARED_BYTES if other and hazard == "WAW" else _RACES[hazard]
    return form.format(
        later=_who(later, earlier),
        earlier=_earlier(earlier, later),
        tile=wording.tile(tile),
        it=f"{other}, which lies in the same bytes," if other else "it",
    )


def fix(earlier: Instruction, later: Instruction, line: Line, mode: Mode) -> str:
    """The flag or barrier that orders two instructions."""
    if mode == "Developer" and earlier.core is later.core:
        what = f"a flag of {earlier.pipe.name} for {later.pipe.name}"
        if earlier.pipe is later.pipe:
            what = f"a barrier of {later.pipe.name}"
        return f"let the compiler put in {what}, {_places(earlier, later, line)} {_IN_CORES}"
    if mode == "Developer" and earlier.core.kind != later.core.kind:
        what = f"a flag of {wording.core(earlier.core)} for {wording.core(later.core)}"
        return f"let the compiler put in {what}, {_places(earlier, later, line)} {_BETWEEN_CORES}"
    return (_inside if earlier.core is later.core else _between)(earlier, later, line)[1]


def _other_name(earlier: Instruction, tile: Tile) -> str:
    """The name under which the earlier instruction knows the bytes, if it is another one."""
    tiles = (*earlier.writes, *earlier.reads, *earlier.clobbers)
    names = [wording.short(one) for one in tiles if one.overlaps(tile)]
    return "" if not names or wording.short(tile) in names else names[0]


def _who(instruction: Instruction, other: Instruction) -> str:
    core, partner = instruction.core, other.core
    if core is partner:
        return wording.operation(instruction)
    block = f" in block {core.block}" if core.block != partner.block else ""
    return f"{wording.operation(instruction)} of {wording.core(core)}{block}"


def _where(earlier: Instruction, later: Instruction) -> str:
    """Block and turn; of two blocks each has been named already."""
    if earlier.core.block == later.core.block:
        return wording.where(later)
    return wording.where(later).partition(", ")[2]


def _earlier(earlier: Instruction, later: Instruction) -> str:
    name = _who(earlier, later)
    return f"an earlier {name}" if name == _who(later, earlier) else name


def _inside(earlier: Instruction, later: Instruction, line: Line) -> tuple[str, str]:
    pipe, other = later.pipe.name, earlier.pipe.name
    turns = _is_a_turn_later(earlier, later)
    if pipe == other:
        place = f"in front of {line(later)}"
        if not turns and line(earlier) != line(later):
            place = f"between {line(earlier)} and {line(later)}"
        return (
            f"{pipe} starts an instruction before the one in front of it has finished, unless "
            "a barrier or a flag stands between them",
            f'write T.pipe_barrier("PIPE_{pipe}") {place}{_BY_COMPILER}',
        )
    prime = "; raise it once in front of the loop, and wait once more behind it" if turns else ""
    return (
        f"{other} and {pipe} work side by side; only a flag makes one wait for the other, and "
        "no flag does so here",
        f'raise a flag behind {line(earlier)}, T.set_flag("PIPE_{pipe}", id) in '
        f'T.rs("PIPE_{other}"), and wait for it in front of {line(later)}, '
        f'T.wait_flag("PIPE_{other}", id) in T.rs("PIPE_{pipe}"){prime}{_BY_COMPILER}',
    )


def _between(earlier: Instruction, later: Instruction, line: Line) -> tuple[str, str]:
    first, second = earlier.core, later.core
    if first.block != second.block:
        return (
            "blocks have no order between them; only a barrier that all of them meet at gives one",
            f"write {_ALL_OVER} and {_barrier('block')} between {line(earlier)} and "
            f"{line(later)}, or let each block touch elements of its own",
        )
    if first.kind == second.kind:
        barrier = (
            f", or write {_ALL_OVER} and {_barrier('subblock')} between {line(earlier)} and "
            f"{line(later)}"
        )
        return (
            "the two vector cores run the same program side by side, each at its own speed",
            "let each vector core touch rows of its own"
            + (barrier if line(earlier) != line(later) else ""),
        )
    prime = ""
    if _is_a_turn_later(earlier, later):
        prime = "; raise it once in front of the loop, and wait once more behind it"
    return (
        f"{wording.core(first)} and {wording.core(second)} run their own instructions; only a "
        "cross-core flag makes one wait for the other",
        f"write T.sync_block_set(id) in {_pipe_of(earlier)} behind {line(earlier)} in "
        f"{wording.scope(first)}, and T.sync_block_wait(id) {_front(later, line)} in "
        f"{wording.scope(second)}{prime}",
    )


def _places(earlier: Instruction, later: Instruction, line: Line) -> str:
    if line(earlier) == line(later):
        return f"inside {line(later)}"
    return f"behind {line(earlier)} and in front of {line(later)}"


def _front(later: Instruction, line: Line) -> str:
    return f"in {_pipe_of(later)} in front of {line(later)}"


def _barrier(who: str) -> str:
    return f'T.{who}_barrier(id) in T.rs("PIPE_S")'


def _pipe_of(instruction: Instruction) -> str:
    return f'T.rs("PIPE_{instruction.pipe.name}")'


def _is_a_turn_later(earlier: Instruction, later: Instruction) -> bool:
    """Whether the later one is due in a later turn of a loop that both stand in."""
    in_text = earlier.core is later.core and earlier.site.index < later.site.index
    both = min(len(earlier.turn), len(later.turn))
    return not in_text and earlier.turn[:both] != later.turn[:both]


def _flags(earlier: Instruction, later: Instruction) -> tuple[tuple[object, ...], ...]:
    """Flags left up between the two sides of a race: a wait is missing, which is the race."""
    if earlier.core is later.core:
        return (("flag", earlier.pipe.name, later.pipe.name, later.core.kind),)
    return (("flag", earlier.core.kind, later.core.kind, "cores"),)
