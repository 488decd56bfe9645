"""Flags that are used against their nature, in words."""

from __future__ import annotations

from tlcourse.chips import Chip
from tlcourse.simulator import wording
from tlcourse.simulator.core import Core
from tlcourse.simulator.findings import Fault
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.sync import FlagKey

# TileLang documents ids up to this inside a core.
_DOCUMENTED = 16


def overflow(instruction: Instruction, pending: int, chip: Chip) -> Fault:
    """TL526: a cross-core counter may be raised so often ahead of its waits."""
    limit = chip.cross_core_flag_limit
    flag = instruction.sets[0].flag
    assert flag is not None
    taker = _taker(flag.key, instruction.core.machine.cores)
    return Fault(
        key=("overflow", instruction.site.index),
        code="TL526",
        at=instruction,
        what=f"cross-core flag {flag.key.flag} may be raised {pending} times before {taker} has "
        f"taken one down, {wording.where(instruction)}",
        why=f"the counter of a cross-core flag on {chip.name} holds {limit}; a further raise is "
        "lost",
        fix=f"wait for an answer of the other core after at most {limit} raises, or use more "
        "flag ids in turn",
        label=f"raise {pending} without a wait that is certain to be over",
    )


def raised_twice(instruction: Instruction, first: Instruction, key: FlagKey) -> Fault:
    """TL524: a flag inside a core is raised while it is up."""
    return Fault(
        key=("flag", key.set_pipe, key.wait_pipe, instruction.core.kind),
        code="TL524",
        at=instruction,
        other=first,
        what=f"{wording.flag(key, instruction.core.machine.cores)} is raised again before its "
        f"first raise is waited for, {wording.where(instruction)}",
        why="a flag inside a core is one bit: two raises look like one, and one of the waits "
        "never ends",
        fix=f"write {wording.wait_call(key)} between the two raises, or use another id",
        wait_call=_wait_call(instruction, key),
        label="raised again here",
        other_label="raised here first",
    )


def left_up(instruction: Instruction, key: FlagKey, count: int) -> Fault:
    """TL503: a flag is up at the end of the block."""
    core, cores = instruction.core, instruction.core.machine.cores
    fault: tuple[object, ...] = ("flag", key.set_pipe, key.wait_pipe, core.kind)
    if key.is_between_cores:
        fault = ("flag", core.kind, cores[key.receiver].kind, "cores")
    return Fault(
        key=fault,
        code="TL503",
        at=instruction,
        severity="warning",
        what=f"{wording.flag(key, cores)} is raised {wording.times(count)} more than "
        f"{_taker(key, cores)} waits for it, in block {core.block}",
        why="a flag stays up after the block: the next block on this core finds it raised and "
        "does not wait when it should",
        fix=f"write one {wording.wait_call(key)} for each {wording.set_call(key)}",
        wait_call=_wait_call(instruction, key),
        label="nobody waits for this raise",
    )


def bad_id(instruction: Instruction, key: FlagKey, chip: Chip) -> Fault:
    """TL525: a flag id that the chip does not have."""
    between = key.is_between_cores
    ids = chip.cross_core_flag_ids if between else chip.event_ids
    documented = not between and 0 <= key.flag < _DOCUMENTED
    pair = (between,) if between else (instruction.core.kind, key.set_pipe, key.wait_pipe)
    more = "; take it modulo the number of buffers" if instruction.turn else ""
    return Fault(
        key=("flag id", *pair, documented),
        code="TL525",
        at=instruction,
        severity="warning" if documented else "error",
        what=f"flag id {key.flag} is used {wording.where(instruction)}; {chip.name} has the ids "
        f"0 to {ids - 1}",
        why="TileLang's documentation allows ids up to 15 here, the chip's does not"
        if documented
        else "a flag with another id does not exist on the chip",
        fix=f"use an id from 0 to {ids - 1} for the raise and its wait{more}",
        label=f"this id is {key.flag}",
        excuses=() if documented else (("flag id", *pair, True),),
    )


def _wait_call(instruction: Instruction, key: FlagKey) -> str:
    """The statement that waits, its T.rs left out; with `id` for an id that is computed."""
    text = wording.wait_call(key).partition(" in ")[0]
    return text if instruction.site.flag >= 0 else text.replace(f"{key.flag})", "id)")


def _taker(key: FlagKey, cores: list[Core]) -> str:
    return wording.core(cores[key.receiver]) if key.is_between_cores else key.wait_pipe
