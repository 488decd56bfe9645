"""Puts a missing wait back, so that what follows from it is not reported beside it.

A flag that is raised more often than it is waited for has lost a wait. Which one, the races
tell: it belongs in front of an instruction that came too early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.order import Waits
from tlcourse.simulator.sync import Flag, FlagKey, Token
from tlcourse.simulator.tile import Tile

_TRIES = 12

Place = tuple[int, bool | None]
"""A statement, and which of its two moves where it is a matrix product."""
_Kind = tuple[str, str, str, str, tuple[int, ...]]
"""Kinds of the cores, pipes, and the ids that a statement goes through turn by turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Race:
    """Two accesses that nothing orders; `hazard` is RAW, WAR or WAW."""

    earlier: Instruction
    later: Instruction
    tile: Tile
    hazard: str

    @property
    def places(self) -> tuple[Place, Place]:
        """The statements, whatever the turn or the block."""
        return _place(self.earlier), _place(self.later)


@dataclass(frozen=True, kw_only=True, slots=True)
class Repair:
    """A wait put in front of a statement.

    Args:
        place: the statement.
        kind: of the flag that is waited for there.
        waits: what the instructions wait for then.
    """

    place: Place
    kind: _Kind
    waits: Waits

    def mends(self, race: Race) -> bool:
        """Whether a race is one that the wait is there for."""
        return any(
            _place(late) == self.place and _joins(self.kind, early, late)
            for early, late in ((race.earlier, race.later), (race.later, race.earlier))
        )


def repairs(
    races: Sequence[Race], machine: Machine, issued: Sequence[Instruction], waits: Waits
) -> Iterator[Repair]:
    """Waits that may be missing, at most a dozen.

    Args:
        races: what was found.
        machine: the finished block.
        issued: all its instructions.
        waits: repairs that were made already.
    """
    if len({race.places for race in races}) < 2:
        return
    kinds = _surplus(machine, issued, waits)
    tried: set[tuple[Place, _Kind]] = set()
    for race in races:
        for early, late in ((race.earlier, race.later), (race.later, race.earlier)):
            for kind, flags in kinds.items():
                key = _place(late), kind
                if key in tried or not _joins(kind, early, late):
                    continue
                tried.add(key)
                mended = _with_wait(key[0], flags, issued, waits)
                yield Repair(place=key[0], kind=kind, waits=mended)
                if len(tried) == _TRIES:
                    return


def _place(instruction: Instruction) -> Place:
    factor = instruction.factor
    return instruction.site.index, None if factor is None else factor.gives_rows


def _kind(key: FlagKey, machine: Machine) -> _Kind:
    """Equal for the flags that one statement raises for several cores."""
    sender, receiver = machine.cores[key.sender].kind, machine.cores[key.receiver].kind
    return sender, receiver, key.set_pipe, key.wait_pipe, (key.flag,)


def _joins(kind: _Kind, early: Instruction, late: Instruction) -> bool:
    """Whether a flag of a kind can order two instructions."""
    sender, receiver, set_pipe, wait_pipe, _ = kind
    if (early.core.kind, late.core.kind) != (sender, receiver):
        return False
    if not set_pipe:
        return early.core is not late.core
    return early.core is late.core and (early.pipe.name, late.pipe.name) == (set_pipe, wait_pipe)


def _surplus(
    machine: Machine, issued: Sequence[Instruction], waits: Waits
) -> dict[_Kind, list[Flag]]:
    """Flags that are raised more often than they are waited for.

    Those of one pair of pipes stand together in front, as where a wait has an id that changes
    with the turn, then each id alone.
    """
    taken: dict[int, int] = {}
    for instruction in issued:
        for token in waits.get(id(instruction), ()):
            taken[id(token.flag)] = max(taken.get(id(token.flag), 0), token.index + 1)
    found: dict[_Kind, list[Flag]] = {}
    for flag in machine.flags.all.values():
        if flag.key.sender >= 0 and flag.sets > max(flag.waits, taken.get(id(flag), 0)):
            found.setdefault(_kind(flag.key, machine), []).append(flag)
    together: dict[_Kind, list[Flag]] = {}
    for first in found:
        alike = sorted(kind for kind in found if kind[:4] == first[:4])
        ids = tuple(kind[4][0] for kind in alike)
        together[(*first[:4], ids)] = [flag for kind in alike for flag in found[kind]]
    return together | found


def _with_wait(
    place: Place, flags: Sequence[Flag], issued: Sequence[Instruction], waits: Waits
) -> Waits:
    """The waits of all instructions with one more in front of a statement.

    Where the flags have several ids, the turns of the statement go through them in order.
    """
    mended = dict(waits)
    ids = sorted({flag.key.flag for flag in flags})
    for flag in flags:
        takers = [i for i in issued if _waits_for(flag, mended.get(id(i), i.waits))]
        left = flag.sets - len(takers)
        here = [i for i in issued if i.core.number == flag.key.receiver and _place(i) == place]
        new = here[ids.index(flag.key.flag) :: len(ids)][:left]
        for number, taker in enumerate(sorted((*takers, *new), key=lambda i: i.order)):
            own = mended.get(id(taker), taker.waits)
            others = tuple(token for token in own if token.flag is not flag)
            mended[id(taker)] = (*others, flag.tokens[number])
    return mended


def _waits_for(flag: Flag, tokens: Sequence[Token]) -> bool:
    return any(token.flag is flag for token in tokens)
