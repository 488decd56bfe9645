"""A timeline as a Chrome trace, for Perfetto and chrome://tracing.

A core is a process and a pipe a thread. Every instruction is an event of phase X, every
set/wait pair a flow of phases s and f. Times are microseconds of the simulated clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlcourse.profile.cores import Core
from tlcourse.records import Instruction, Timeline

Event = dict[str, object]


def chrome_trace(timeline: Timeline, cores: Sequence[Core]) -> dict[str, object]:
    """The trace as plain data; `profilingType` stands in front of the events for Insight."""
    return {
        "profilingType": "op",
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": timeline.kernel,
            "chip": timeline.chip,
            "cycles": timeline.cycles,
            "clock": "simulated",
        },
        "traceEvents": [*_names(cores), *_slices(timeline, cores), *_flows(timeline, cores)],
    }


def _names(cores: Sequence[Core]) -> Iterator[Event]:
    for pid, core in enumerate(cores):
        yield _meta("process_name", pid, 0, name=core.name)
        yield _meta("process_sort_index", pid, 0, sort_index=pid)
        for tid, lane in enumerate(core.lanes.values(), start=1):
            yield _meta("thread_name", pid, tid, name=lane)
            yield _meta("thread_sort_index", pid, tid, sort_index=tid)


def _meta(kind: str, pid: int, tid: int, **args: object) -> Event:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": args}


def _slices(timeline: Timeline, cores: Sequence[Core]) -> Iterator[Event]:
    for pid, core in enumerate(cores):
        for one in core.instructions:
            yield {
                "ph": "X",
                "name": one.op,
                "cat": "instruction",
                "pid": pid,
                "tid": _tid(core, one),
                "ts": _us(timeline, one.start_cycle),
                "dur": _us(timeline, one.end_cycle - one.start_cycle),
                "args": _args(one),
            }


def _args(one: Instruction) -> dict[str, object]:
    args: dict[str, object] = {"detail": detail_of(one), "block": one.block}
    args["cycles"] = one.end_cycle - one.start_cycle
    if one.bytes:
        args["bytes"] = one.bytes
    if one.span:
        args["line"] = one.span.line
        args["code"] = f"{one.span.source}:{one.span.line}"
    return args


def _flows(timeline: Timeline, cores: Sequence[Core]) -> Iterator[Event]:
    """An arrow from the end of what sets a flag to the start of what waits for it."""
    at = {one.id: (pid, core, one) for pid, core in enumerate(cores) for one in core.instructions}
    number = 0
    for pid, core in enumerate(cores):
        for waiter in core.instructions:
            for other in waiter.waits_on:
                if other not in at:
                    continue
                setter_pid, setter_core, setter = at[other]
                flow: Event = {"name": "set/wait", "cat": "flag", "id": number}
                number += 1
                end = max(setter.end_cycle - 1, setter.start_cycle)  # inside the setter's slice
                yield {
                    **flow,
                    "ph": "s",
                    "pid": setter_pid,
                    "tid": _tid(setter_core, setter),
                    "ts": _us(timeline, end),
                }
                yield {
                    **flow,
                    "ph": "f",
                    "bp": "e",
                    "pid": pid,
                    "tid": _tid(core, waiter),
                    "ts": _us(timeline, waiter.start_cycle),
                }


def detail_of(one: Instruction) -> str:
    """What an instruction did, in a few words."""
    parts = [f"{one.operations:,} operations"] if one.operations else []
    parts += [one.dtype] if one.dtype else []
    parts += [f"{one.bytes:,} B through GM"] if one.bytes else []
    return ", ".join(parts)


def _tid(core: Core, one: Instruction) -> int:
    return list(core.lanes).index(one.pipe) + 1


def _us(timeline: Timeline, cycles: int) -> float:
    return round(cycles / timeline.clock_mhz, 6)
