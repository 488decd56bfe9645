"""Flags gone wrong: cores that wait for each other, and raises that nobody takes."""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.functional.barriers import Barrier, Member
from tlcourse.functional.faults import Where, finding, labels_at, span_of
from tlcourse.functional.flags import CoreKind, other
from tlcourse.functional.launch import Core, Launch
from tlcourse.records import Finding, Program


def deadlock(launch: Launch, cores: Sequence[Core]) -> Finding:
    """TL502: no core can go on. Names each waiting core, its flag and where that is set."""
    program = launch.program
    stuck = [core for core in cores if core.waiting is not None]
    places = [(_place(core), f"{core.kind} waits here for flag {_flag(core)}") for core in stuck]
    sets = [
        (site, f"{other(core.kind)} raises flag {_flag(core)} here")
        for core in stuck
        for site in set_sites(program, other(core.kind), _flag(core))
    ]
    first = stuck[0]
    why, fix = _reason(launch, cores, first)
    counterparts = [site for site, _ in sets] + [
        _place(core) for core in stuck if core.kind != first.kind
    ]
    return finding(
        Where(program=program, agent=first.agent, place=_place(first), block=launch.block),
        "TL502",
        f"{program.signature.kernel} stands still in block {launch.block}: {_who(stuck)}",
        why=why,
        fix=fix,
        labels=labels_at(program, *places, *sets),
        other_span=span_of(program, counterparts[0]) if counterparts else None,
    )


def stuck_at_barrier(launch: Launch, core: Core) -> Finding:
    """TL502: a core waits at a barrier that others of its kind do not reach."""
    barrier, program = core.waiting, launch.program
    assert isinstance(barrier, Barrier), "asked of cores at a barrier only"
    missing = launch.barriers.missing(core.member, barrier)
    block, _, _ = core.member
    others = ", ".join(_member_text(barrier, member) for member in missing[:4])
    more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
    call = f"{barrier.call}({barrier.flag})"
    joined = "all blocks" if barrier.scope == "block" else "the block"
    return finding(
        Where(program=program, agent=core.agent, place=barrier.place, block=block),
        "TL502",
        f"{program.signature.kernel} stands still: {core.title} in block {block} waits at {call} "
        f"for {others}{more}",
        why=f"a barrier ends when every {core.kind} core of {joined} has come to it as often; "
        "these have come less often, and they have ended or wait for something else",
        fix=f"let every core come to {call} equally often: not under an `if`, or in a loop, that "
        "differs from core to core",
        labels=labels_at(program, (barrier.place, f"{core.title} waits here")),
    )


def _member_text(barrier: Barrier, member: Member) -> str:
    block, kind, vid = member
    core = "cube" if kind == "cube" else f"vector {vid}"
    return f"{core} of block {block}" if barrier.scope == "block" else core


def left_over(launch: Launch, agent: str, kind: CoreKind, flag: int, count: int) -> Finding:
    """TL503: a flag was raised and the core that should wait for it did not."""
    place = launch.flags.places[kind, flag]
    giver = other(kind)
    return finding(
        Where(program=launch.program, agent=agent, place=place, block=launch.block),
        "TL503",
        f"flag {flag} is raised {count} {_times(count)} more by {giver} than {kind} waits for it, "
        f"first in block {launch.block}",
        why="flags are counters that outlive the block: the next block on this core finds the "
        "flag raised and reads data that is not there yet",
        fix=f'write one T.sync_block_wait({flag}) in T.Scope("{kind.title()}") for each '
        f"T.sync_block_set({flag})",
        labels=labels_at(launch.program, (place, f"nobody waits for this raise of flag {flag}")),
        severity="warning",
    )


def set_sites(program: Program, kind: CoreKind, flag: int) -> list[int]:
    """Span positions of the statements that raise a flag on a kind of core."""
    return [
        site["place"]
        for site in program.options["sync"]
        if site["core"] == kind and site["action"] == "set" and site["flag"] in (flag, None)
    ]


def _reason(launch: Launch, cores: Sequence[Core], first: Core) -> tuple[str, str]:
    giver, flag = other(first.kind), _flag(first)
    scope = f'T.Scope("{giver.title()}")'
    count = launch.flags.raised[giver, flag]
    so_far = (
        f"raised flag {flag} {count} {_times(count)}" if count else f"has not raised flag {flag}"
    )
    rule = f"a wait uses up one raise of the flag by {_givers(giver)}"
    if not set_sites(launch.program, giver, flag):
        return (
            f"{rule}, and no line of the {giver} code raises flag {flag}",
            f"add T.sync_block_set({flag}) in {scope} behind the work that this wait is for",
        )
    if all(core.done for core in cores if core.kind == giver):
        return (
            f"{rule}; {giver} {so_far} in this block and is done with it",
            f"write one T.sync_block_set({flag}) in {scope} for each T.sync_block_wait({flag})",
        )
    return (
        f"{rule}; {giver} {so_far} so far and itself stands at a wait",
        f"move T.sync_block_set({flag}) in {scope} above the wait that holds it back",
    )


def _who(stuck: Sequence[Core]) -> str:
    groups: dict[tuple[str, int], list[str]] = {}
    for core in stuck:
        groups.setdefault((core.kind, _flag(core)), []).append(core.title)
    return ", ".join(
        f"{' and '.join(names)} {'wait' if len(names) > 1 else 'waits'} for flag {flag}"
        for (_, flag), names in groups.items()
    )


def _givers(kind: CoreKind) -> str:
    return "the cube core" if kind == "cube" else "both vector cores"


def _times(count: int) -> str:
    return "time" if count == 1 else "times"


def _flag(core: Core) -> int:
    assert core.waiting is not None, "asked of waiting cores only"
    return core.waiting[0]


def _place(core: Core) -> int:
    assert core.waiting is not None, "asked of waiting cores only"
    return core.waiting[1]
