"""A barrier that not every core comes to, in words."""

from __future__ import annotations

from tlcourse.simulator import wording
from tlcourse.simulator.core import Core
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.sync import FlagKey, Token

_NAMED = 4


def is_barrier(key: FlagKey, machine: Machine) -> bool:
    """Whether a flag is one of a barrier: only those join cores of one kind."""
    if not key.is_between_cores or key.sender < 0:
        return False
    return machine.cores[key.sender].kind == machine.cores[key.receiver].kind


def call(waiter: Instruction, machine: Machine) -> str:
    """`T.block_barrier(0)`, as the instruction that waits there is written."""
    keys = [token.flag.key for token in waiter.waits if token.flag is not None]
    blocks = {machine.cores[key.sender].block for key in keys}
    name = "block_barrier" if len(blocks) > 1 else "subblock_barrier"
    return f"T.{name}({keys[0].flag})"


def missing(waiter: Instruction, machine: Machine) -> str:
    """Who has not come to a barrier: `vector core 1`, `block 4, block 5 and 3 more`."""
    cores = [
        machine.cores[token.flag.key.sender]
        for token in waiter.waits
        if token.flag is not None and token.setter is None
    ]
    if "T.block" in call(waiter, machine):
        names = [f"block {block}" for block in sorted({core.block for core in cores})]
    else:
        names = [wording.core(core) for core in cores]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def named(core: Core) -> str:
    """`vector core 1`; with its block where several run together."""
    blocks = {other.block for other in core.machine.cores}
    return wording.core(core) + (f" of block {core.block}" if len(blocks) > 1 else "")


def reason(token: Token, sender: Core) -> str:
    """Why a core does not come to a barrier."""
    if not sender.is_finished:
        return f"but {named(sender)} stands at a wait of its own in front of it"
    if not token.index:
        return f"but {named(sender)} has ended without coming to it"
    return f"but {named(sender)} came to it {wording.times(token.index)} and has ended"


def fix(waiter: Instruction, machine: Machine) -> str:
    """What to do: let all come to it."""
    text = call(waiter, machine)
    who = "each block" if "T.block" in text else "each vector core of the block"
    return (
        f"let {who} come to {text} equally often: take it out of the branch or loop that differs "
        "from one to the other"
    )
