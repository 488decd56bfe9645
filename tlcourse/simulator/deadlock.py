"""A machine in which nobody can go on, in words: who waits for which flag, and why."""

from __future__ import annotations

from collections.abc import Iterator

from tlcourse.records import Wait
from tlcourse.simulator import barrier_words, wording
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
    flag = _flag(_key(token), machine)
    spare = _spare(token, machine)
    site = spare.site if spare is not None else _set_site(token, machine)
    chain = list(_chain(instruction, token, machine))
    left = len(edges) - len(chain)
    lines = [_edge(machine, *edge) for edge in chain[:_SHOWN]]
    more = f"; {left} more wait{'s follow' if left > 1 else ' follows'} from this" if left else ""
    waits = tuple(_wait(machine, *edge, is_root=edge[1] is token) for edge in edges)
    who = f"{instruction.pipe.name} of {barrier_words.named(instruction.core)}"
    other_label = "the raise stands here"
    if spare is not None:
        other_label = f"raises {wording.flag(_raised(spare), machine.cores)} instead"
    return Fault(
        key=("deadlock",),
        code="TL502",
        at=instruction,
        other_span=site.span if site is not None else -1,
        what=f"{kernel} stands still {wording.where(instruction)}: {who} waits "
        + _for_what(machine, instruction, token),
        why="; ".join(lines) + more,
        fix=_fix(machine, token),
        label=f"waits for {flag}",
        other_label=other_label,
        waits=waits,
    )


def _chain(
    instruction: Instruction, token: Token, machine: Machine
) -> Iterator[tuple[Instruction, Token]]:
    """A wait, then the wait that holds back whoever should raise its flag, and so on."""
    seen: set[int] = set()
    while id(token) not in seen:
        seen.add(id(token))
        yield instruction, token
        held = _held_back(token, machine)
        if held is None:
            return
        found = next((t for t in held.waits if not t.is_set and t.flag is not None), None)
        if found is None:
            return
        instruction, token = held, found


def _held_back(token: Token, machine: Machine) -> Instruction | None:
    """The instruction that stands in front of the raise of a flag."""
    if token.setter is not None:
        queue = token.setter.pipe.queue
        return queue[0] if queue else None
    sender = _key(token).sender
    return machine.cores[sender].standing if sender >= 0 else None


def _spare(token: Token, machine: Machine) -> Instruction | None:
    """A raise of another flag by the same pipe or core, for which nobody waits."""
    key = _key(token)
    if token.setter is not None:
        return None
    for flag in machine.flags.all.values():
        other = flag.key
        same = (other.sender, other.set_pipe) == (key.sender, key.set_pipe)
        if same and other != key and flag.sets > flag.waits and _may_replace(other, key):
            return flag.tokens[flag.waits].setter
    return None


def _may_replace(other: FlagKey, key: FlagKey) -> bool:
    """Whether one flag may be meant by the other: another id, or another pair of pipes."""
    return other.receiver == key.receiver and (
        other.flag != key.flag or other.wait_pipe != key.wait_pipe
    )


def _raised(spare: Instruction) -> FlagKey:
    flag = spare.sets[0].flag
    assert flag is not None
    return flag.key


def _edges(machine: Machine) -> Iterator[tuple[Instruction, Token]]:
    """Each standing instruction with the flag that is least likely to come of those it waits
    for; what waits for a pipe to drain follows from them.
    """
    for instruction in machine.blocked():
        down = [token for token in instruction.waits if not token.is_set and token.flag is not None]
        if down:
            yield instruction, min(down, key=lambda token: _depth(token, machine))


def _flag(key: FlagKey, machine: Machine) -> str:
    """A flag in words, or the barrier that it belongs to."""
    if barrier_words.is_barrier(key, machine):
        return f"barrier {key.flag}"
    return wording.flag(key, machine.cores)


def _for_what(machine: Machine, instruction: Instruction, token: Token) -> str:
    key = _key(token)
    if not barrier_words.is_barrier(key, machine) or token.setter is not None:
        return f"for {_flag(key, machine)}, which stays down"
    place = barrier_words.call(instruction, machine)
    return f"at {place} for {barrier_words.missing(instruction, machine)}"


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
    who = f"{instruction.pipe.name} of {barrier_words.named(instruction.core)}"
    return f"{who} waits for {_flag(key, machine)}, {_reason(machine, token)}"


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
        flag=_flag(key, machine),
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
    if barrier_words.is_barrier(key, machine):
        return barrier_words.reason(token, sender)
    raised = f"raised it {wording.times(token.index)}" if token.index else "never raised it"
    if key.sender == key.receiver:
        return f"but {wording.core(sender)} {raised} in front of this wait"
    if sender.is_finished:
        return f"but {wording.core(sender)} {raised} and has come to its end"
    return f"but {wording.core(sender)} {raised} so far and stands at a wait of its own"


def _fix(machine: Machine, token: Token) -> str:
    key = _key(token)
    call = wording.set_call(key)
    if token.waiter is not None and token.setter is None and barrier_words.is_barrier(key, machine):
        return barrier_words.fix(token.waiter, machine)
    if token.setter is not None:
        if _depth(token, machine) == 1:
            return f"write {call} once in front of the loop, or move the raise above the wait"
        return f"move {call} {_above(machine, token)}"
    place = ""
    if key.sender >= 0 and len({core.kind for core in machine.cores}) > 1:
        place = f" in {wording.scope(machine.cores[key.sender])}"
    if _depth(token, machine) == 0:
        return _fix_of_missing(machine, token, f"{call}{place}")
    return f"move {call}{place} above the wait that holds it back"


def _above(machine: Machine, token: Token) -> str:
    """In front of what a raise that stands in a queue has to go."""
    setter, waiter = token.setter, token.waiter
    assert setter is not None
    if waiter is not None:
        for held, other in _chain(waiter, token, machine):
            key = _key(other)
            if held.core is setter.core and key.is_between_cores:
                return f"in front of {wording.wait_call(key)} in {wording.scope(setter.core)}"
    return "in front of the work that waits"


def _fix_of_missing(machine: Machine, token: Token, call: str) -> str:
    """What to do where nobody is left to raise a flag."""
    key = _key(token)
    wait = wording.wait_call(key)
    spare, site = _spare(token, machine), _set_site(token, machine)
    if spare is not None:
        return f"write {call} in place of {wording.set_call(_raised(spare))}"
    if _raised_by_another(token, machine):
        return (
            f"let {wording.core(machine.cores[key.sender])} run {wording.set_call(key)}, too: "
            f"{wording.core(machine.cores[key.receiver])} waits for each vector core of its block"
        )
    if site is None:
        return f"write one {call} for each {wait}"
    waiter = token.waiter
    if key.sender == key.receiver and waiter is not None and site.index > waiter.site.index:
        return f"move {call} in front of {wait}"
    return (
        f"let {call} run as often as {wait}: take both out of the branch or loop, or put both "
        "into it"
    )


def _raised_by_another(token: Token, machine: Machine) -> bool:
    """Whether the other vector core has raised its flag for the same wait."""
    key = _key(token)
    return key.is_between_cores and any(
        flag.key.is_between_cores
        and flag.key.receiver == key.receiver
        and flag.key.flag == key.flag
        and flag.key.sender not in (key.sender, -1)
        and machine.cores[flag.key.sender].block == machine.cores[key.receiver].block
        and flag.sets > token.index
        for flag in machine.flags.all.values()
    )


def _set_site(token: Token, machine: Machine) -> Site | None:
    """The line that raises the flag, or would."""
    if token.setter is not None:
        return token.setter.site
    key = _key(token)
    if barrier_words.is_barrier(key, machine):
        return None
    return next(
        (
            site
            for site in machine.sites
            if site.flag == key.flag
            and site.between_cores == key.is_between_cores
            and (
                key.is_between_cores or (site.pipe, site.wait_pipe) == (key.set_pipe, key.wait_pipe)
            )
        ),
        None,
    )


def _key(token: Token) -> FlagKey:
    assert token.flag is not None
    return token.flag.key
