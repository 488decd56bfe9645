"""What an exercise may ask for beside right numbers, seen in what the simulator recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tlcourse.grading.words import Phrase
from tlcourse.records import MemoryMap, Timeline
from tlcourse.simulator.cycles.stream import Total

_TO_GM = {"MTE3", "FIX"}


@dataclass(frozen=True, kw_only=True)
class Record:
    """What an effect is judged by.

    Args:
        timeline: of the launch.
        blocks: logical blocks of the grid.
        output_bytes: bytes of all outputs together.
        totals: what all blocks did, by pipe and op.
        memory: the on-chip memories, as planned.
        ops: how often each TileLang op stands in the kernel.
        given_ops: the same of the kernel that the exercise gives.
        is_placed: each tile lies in a memory of the core that works on it.
        are_apart: no two blocks write the same element; on the chip that is a finding.
    """

    timeline: Timeline
    blocks: int
    output_bytes: int
    totals: Mapping[tuple[str, str], Total] = field(
        default_factory=lambda: dict[tuple[str, str], Total]()
    )
    memory: tuple[MemoryMap, ...] = ()
    ops: Mapping[str, int] = field(default_factory=dict[str, int])
    given_ops: Mapping[str, int] = field(default_factory=dict[str, int])
    is_placed: bool = True
    are_apart: bool = True


def missing(name: str, limit: float, record: Record, per: int = 1) -> Phrase | None:
    """What to say where an asked effect is missing; None where it holds.

    Args:
        name: the effect.
        limit: the number to keep to, for effects that count: the most, or of AT_LEAST the least.
        record: what the simulator saw.
        per: what a count is divided by.
    """
    seen = EFFECTS[name](record)
    if isinstance(seen, bool):
        return None if seen else Phrase(key=name)
    seen = None if seen is None else seen / per
    if seen is None or (seen >= limit if name in AT_LEAST else seen <= limit):
        return None
    return Phrase(key=name, values={"seen": seen, "limit": limit})


def _agents(record: Record) -> set[str]:
    return {lane.agent for lane in record.timeline.lanes if lane.busy_cycles}


def _both_kinds_of_core(record: Record) -> bool:
    agents = _agents(record)
    return "aic" in agents and bool(agents & {"aiv0", "aiv1"})


def _both_vector_cores(record: Record) -> bool:
    """Whether both store results: work whose result is thrown away is no help."""
    stored = {i.agent for i in record.timeline.instructions if i.pipe == "MTE3" and i.bytes}
    return {"aiv0", "aiv1"} <= stored


def _bytes_written(record: Record) -> float | None:
    """Bytes that go to global memory per byte of the outputs; None where blocks differ.

    The timeline shows one block of each class, so blocks must be alike to speak for all.
    """
    shown = {instruction.block for instruction in record.timeline.instructions}
    if len(shown) != 1 or record.timeline.replicated_blocks != record.blocks - 1:
        return None
    written = sum(i.bytes for i in record.timeline.instructions if i.pipe in _TO_GM)
    return written * record.blocks / record.output_bytes


def _bytes_read(record: Record) -> float:
    """Bytes that come from global memory."""
    return sum(total.bytes for (pipe, _), total in record.totals.items() if pipe == "MTE2")


def _product_work(record: Record) -> float:
    """Multiplications and additions of all products."""
    return sum(total.operations for (pipe, _), total in record.totals.items() if pipe == "M")


def _scalar_elements(record: Record) -> float:
    """How often the scalar unit reads or writes an element."""
    found = (record.totals.get(("S", op), Total()) for op in ("load", "store"))
    return sum(total.count for total in found)


def _ub(record: Record) -> MemoryMap | None:
    return next((plan for plan in record.memory if plan.space == "ub"), None)


def _ub_used(record: Record) -> float:
    """The part of UB that tiles lie in, in percent of its size."""
    plan = _ub(record)
    if plan is None:
        return 0.0
    peak = max((tile.offset_bytes + tile.size_bytes for tile in plan.buffers), default=0)
    return 100 * peak / plan.capacity_bytes


def _ub_asked(record: Record) -> float:
    """What all tiles in UB would take side by side, in percent of its size."""
    plan = _ub(record)
    if plan is None:
        return 0.0
    return 100 * sum(tile.size_bytes for tile in plan.buffers) / plan.capacity_bytes


def _changed_ops(record: Record) -> float:
    """Ops more or fewer than in the given kernel; an op in place of another counts once."""
    more, fewer = Counter(record.ops), Counter(record.given_ops)
    return max((more - fewer).total(), (fewer - more).total())


def _load_overlap(record: Record) -> float:
    """The part of the vector cores' time in which the same core also loads, in percent."""
    together = busy = 0
    for agent in ("aiv0", "aiv1"):
        mine = [i for i in record.timeline.instructions if i.agent == agent]
        loads = [(i.start_cycle, i.end_cycle) for i in mine if i.pipe == "MTE2"]
        for work in (i for i in mine if i.pipe == "V"):
            busy += work.end_cycle - work.start_cycle
            shared = (min(work.end_cycle, e) - max(work.start_cycle, s) for s, e in loads)
            together += sum(cycles for cycles in shared if cycles > 0)
    return 100 * together / busy if busy else 0.0


def _products_ahead(record: Record) -> float:
    """Results that the cube core has stored when a vector core stores its first one."""
    stored = [i for i in record.timeline.instructions if i.pipe in _TO_GM and i.bytes]
    first = min((i.end_cycle for i in stored if i.pipe == "MTE3"), default=0)
    return sum(i.pipe == "FIX" and i.end_cycle < first for i in stored)


def _cube_idle(record: Record) -> float:
    """How long no pipe of the cube core works, in percent of the time in which one does."""
    work = [i for i in record.timeline.instructions if i.agent == "aic"]
    begin = min((i.start_cycle for i in record.timeline.instructions), default=0)
    last = max((i.end_cycle for i in record.timeline.instructions), default=0)
    idle, end = 0, begin
    for start, stop in sorted((i.start_cycle, i.end_cycle) for i in work):
        idle += max(0, start - end)
        end = max(end, stop)
    idle += last - end
    return 100 * idle / (last - begin - idle) if work else 100.0


def _hidden_work(record: Record) -> float:
    """The part of the other pipes' time in which the busiest kind of pipe works too, in percent."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for one in record.timeline.instructions:
        spans.setdefault(one.pipe, []).append((one.start_cycle, one.end_cycle))
    joined = {pipe: _joined(found) for pipe, found in spans.items()}
    busiest = max(joined, key=lambda pipe: _length(joined[pipe]), default="")
    others = _joined([s for pipe, found in joined.items() if pipe != busiest for s in found])
    total = _length(_joined([*others, *joined.get(busiest, ())]))
    together = _length(others) + _length(joined.get(busiest, ())) - total
    return 100 * together / (_length(others) or 1)


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of time with those that touch made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _length(spans: Iterable[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)


def _busiest_vector_core(record: Record) -> float:
    """The part of what the vector cores store that comes from one of them, in percent."""
    stored: dict[str, int] = {"aiv0": 0, "aiv1": 0}
    for instruction in record.timeline.instructions:
        if instruction.pipe == "MTE3":
            stored[instruction.agent] += instruction.bytes
    return 100 * max(stored.values()) / (sum(stored.values()) or 1)


def _busiest_block(record: Record) -> float:
    """Bytes that the block which stores most sends to global memory."""
    stored: Counter[int] = Counter()
    for instruction in record.timeline.instructions:
        stored[instruction.block] += instruction.bytes if instruction.pipe in _TO_GM else 0
    return max(stored.values(), default=0)


AT_LEAST = frozenset({"ub_used", "ub_asked", "load_overlap", "products_ahead", "hidden_work"})
EFFECTS: dict[str, Callable[[Record], bool | float | None]] = {
    "both_kinds_of_core": _both_kinds_of_core,
    "both_vector_cores": _both_vector_cores,
    "bytes_written": _bytes_written,
    "ub_used": _ub_used,
    "ub_asked": _ub_asked,
    "changed_ops": _changed_ops,
    "load_overlap": _load_overlap,
    "products_ahead": _products_ahead,
    "cube_idle": _cube_idle,
    "busiest_vector_core": _busiest_vector_core,
    "hidden_work": _hidden_work,
    "busiest_block": _busiest_block,
    "blocks_started": lambda record: float(record.blocks),
    "bytes_read": _bytes_read,
    "product_work": _product_work,
    "scalar_elements": _scalar_elements,
    "is_placed": lambda record: record.is_placed,
    "are_apart": lambda record: record.are_apart,
}
