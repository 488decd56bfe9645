"""What an exercise may ask for beside right numbers, seen in what the simulator recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tlcourse.grading.words import Phrase
from tlcourse.records import MemoryMap, Timeline

_TO_GM = {"MTE3", "FIX"}


@dataclass(frozen=True, kw_only=True)
class Record:
    """What an effect is judged by.

    Args:
        timeline: of the launch.
        blocks: logical blocks of the grid.
        output_bytes: bytes of all outputs together.
        memory: the on-chip memories, as planned.
    """

    timeline: Timeline
    blocks: int
    output_bytes: int
    memory: tuple[MemoryMap, ...] = ()


def missing(name: str, limit: float, record: Record) -> Phrase | None:
    """What to say where an asked effect is missing; None where it holds.

    Args:
        name: the effect.
        limit: the number to keep to, for effects that count: the most, or of AT_LEAST the least.
        record: what the simulator saw.
    """
    seen = EFFECTS[name](record)
    if isinstance(seen, bool):
        return None if seen else Phrase(key=name)
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


AT_LEAST = frozenset({"ub_used", "ub_asked"})
EFFECTS: dict[str, Callable[[Record], bool | float | None]] = {
    "both_kinds_of_core": _both_kinds_of_core,
    "both_vector_cores": _both_vector_cores,
    "bytes_written": _bytes_written,
    "ub_used": _ub_used,
    "ub_asked": _ub_asked,
}
