"""A machine in which nobody can go on, in words: who waits for which flag, and why."""

from __future__ import annotations

from collections.abc import Iterator

from tlcourse.records import Wait
from tlcourse.simulator import wording
from tlcourse.simulator.core import Core
from tlcourse.simulator.findings import Fault
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.sync import FlagKey, Token

_SHOWN = 6


def deadlock(machine: Machine, kernel: str) -> Fault:
    """TL502, with the whole wait-for graph in words and both lines of its root."""
    edges = list(_edges(machine))
    instruction, token = min(edges, key=lambda edge: _depth(edge[1], machine))
    key = _key(token)
    site = _set_site(token, machine)
    lines = [_edge(machine, *edge) for edge in edges[:_SHOWN]]
    waits = tuple(_wait(machine, *edge, is_root=edge[1] is token) for edge in edges)
    more = f"; and {len(edges) - _SHOWN} more waits" if len(edges) > _SHOWN else ""
    who = f"{instruction.pipe.name} of {wording.core(instruction.core)}"
    return Fault(
        key=("deadlock",),
        code="TL502",
        at=instruction,
        other_span=site.span if site is not None else -1,
        what=f"{kernel} stands still {wording.where(instruction)}: {who} waits for "
        f"{wording.flag(key, machine.cores)}, which stays down",
        why="; ".join(lines) + more,
        fix=_fix(machine, token),
        label=f"waits for {wording.flag(key, machine.cores)}",
        other_label="the raise stands here",
        waits=waits,
    )


def _edges(machine: Machine) -> Iterator[tuple[Instruction, Token]]:
    """Each standing instruction with a flag that it waits for; barriers follow from them."""
    for instruction in machine.blocked():
        for token in instruction.waits:
            if not token.is_set and token.flag is not None:
                yield instruction, token
                break


def _depth(token: Token, machine: Machine) -> int:
    """How near a wait is to the root: 0 nobody is left who could raise its flag, 1 the raise
    stands behind the wait in the text of the same core, more where it follows from others.
    """
    setter, waiter = token.setter, token.waiter
    if setter is not None and waiter is not None and setter.core is waiter.core:
        return 1 if setter.order > waiter.order else 4
    if setter is not None:
        return 2
    sender, receiver = _key(token).sender, _key(token).receiver
    return 0 if sender in (-1, receiver) or machine.cores[sender].is_finished else 3


def _edge(machine: Machine, instruction: Instruction, token: Token) -> str:
    key = _key(token)
    who = f"{instruction.pipe.name} of {wording.core(instruction.core)}"
    return f"{who} waits for {wording.flag(key, machine.cores)}, {_reason(machine, token)}"


def _wait(
    machine: Machine, instruction: Instruction, token: Token, *, is_root: bool
) -> tuple[Wait, int, int]:
    """An edge as a record, with the places of the wait and of the raise."""
    key = _key(token)
    site = _set_site(token, machine)
    setter = token.setter
    if setter is not None:
        name = f"{_name(machine, setter.core)} {setter.pipe.name}"
    else:
        name = f"{_name(machine, machine.cores[key.sender])} program" if key.sender >= 0 else ""
    wait = Wait(
        waiter=f"{_name(machine, instruction.core)} {instruction.pipe.name}",
        setter=name,
        flag=wording.flag(key, machine.cores),
        reason=_reason(machine, token),
        is_root=is_root,
    )
    return wait, instruction.site.span, site.span if site is not None else -1


def _name(machine: Machine, core: Core) -> str:
    """`aic`, `aiv0`; with the block where several are in flight."""
    blocks = {other.block for other in machine.cores}
    return core.name if len(blocks) == 1 else f"block {core.block} {core.name}"


def _reason(machine: Machine, token: Token) -> str:
    key = _key(token)
    if token.setter is not None:
        pipe = token.setter.pipe
        if _depth(token, machine) == 1:
            return "whose raise stands behind this wait in the program, so it never comes"
        return f"whose raise stands in the queue of {pipe.name} behind work that waits itself"
    if key.sender < 0:
        return "but the kernel has no core that could raise it"
    sender = machine.cores[key.sender]
    raised = f"raised it {wording.times(token.index)}" if token.index else "never raised it"
    if key.sender == key.receiver:
        return f"but {wording.core(sender)} {raised} in front of this wait"
    if sender.is_finished:
        return f"but {wording.core(sender)} {raised} and has come to its end"
    return f"but {wording.core(sender)} {raised} so far and stands at a wait of its own"


def _fix(machine: Machine, token: Token) -> str:
    key = _key(token)
    call = wording.set_call(key)
    if token.setter is not None:
        if _depth(token, machine) == 1:
            return f"write {call} once in front of the loop, or move the raise above the wait"
        return f"move {call} in front of the work that waits"
    place = "" if key.sender < 0 else f" in {wording.scope(machine.cores[key.sender])}"
    if _depth(token, machine) == 0:
        return f"write one {call}{place} for each {wording.wait_call(key)}"
    return f"move {call}{place} above the wait that holds it back"


def _set_site(token: Token, machine: Machine) -> Site | None:
    """The line that raises the flag, or would."""
    if token.setter is not None:
        return token.setter.site
    key = _key(token)
    pipe = key.set_pipe
    matches = [
        site
        for site in machine.sites
        if site.flag == key.flag
        and site.between_cores == key.is_between_cores
        and (key.is_between_cores or site.pipe == pipe)
    ]
    return matches[0] if matches else None


def _key(token: Token) -> FlagKey:
    assert token.flag is not None
    return token.flag.key
