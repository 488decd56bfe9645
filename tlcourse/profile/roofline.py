"""The roofline of a launch: work for each byte, the ceilings of the chip, and a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tlcourse.chips import Chip
from tlcourse.records import Timeline
from tlcourse.simulator.cycles.stream import Recording, Shape

# Above this part of a ceiling a kernel counts as bound by it, as MindStudio Insight does.
BOUND = 0.8
# Products a cycle and cube core, two operations each; vector lanes of 256 bytes.
_CUBE_OPERATIONS = {"float16": 8192, "bfloat16": 8192, "float32": 2048, "int8": 16384}
_VECTOR_BYTES = 256
_WIDTH = {"float32": 4, "int32": 4, "uint32": 4, "int8": 1, "uint8": 1, "bool": 1}


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """One limit of the chip: how long it alone would need for the launch.

    Args:
        name: `cube`, `vector`, `L2` or `HBM`.
        is_memory: it carries bytes, else it computes.
        amount: bytes or operations of the launch.
        per_us: bytes or operations that the chip does in a microsecond.
    """

    name: str
    is_memory: bool
    amount: int
    per_us: float

    @property
    def microseconds(self) -> float:
        """The time that this limit alone sets."""
        return self.amount / self.per_us


@dataclass(frozen=True, kw_only=True)
class Roofline:
    """A launch against the ceilings.

    Args:
        microseconds: of the launch.
        ceilings: those that the launch touches, the nearest one first.
        verdict: in words.
    """

    microseconds: float
    ceilings: tuple[Ceiling, ...]
    verdict: str


def roofline(recording: Recording, timeline: Timeline, chip: Chip, *, cold: bool) -> Roofline:
    """Compares the time of a launch with what each part of the chip would need for it.

    Args:
        recording: what all blocks issue.
        timeline: the same launch with times.
        chip: the chip.
        cold: L2 was empty at the start.
    """
    time = timeline.cycles / timeline.clock_mhz
    found = [one for one in _ceilings(recording, chip, cold=cold) if one.amount]
    found.sort(key=lambda one: (-one.microseconds, one.name))
    return Roofline(
        microseconds=time, ceilings=tuple(found), verdict=_verdict(found, time, timeline)
    )


def _ceilings(recording: Recording, chip: Chip, *, cold: bool) -> Iterator[Ceiling]:
    work = _work(recording)
    clock, vectors = chip.clock_mhz, chip.core_groups * chip.vector_cores_per_group
    cube = {dtype: n for (pipe, dtype), n in work.items() if pipe == "cube"}
    vector = {dtype: n for (pipe, dtype), n in work.items() if pipe == "vector"}
    for name, amounts, rates, cores in (
        ("cube", cube, {d: _CUBE_OPERATIONS.get(d, 8192) for d in cube}, chip.core_groups),
        ("vector", vector, {d: _VECTOR_BYTES // _WIDTH.get(d, 2) for d in vector}, vectors),
    ):
        cycles = sum(amount / rates[dtype] for dtype, amount in amounts.items())
        total = sum(amounts.values())
        rate = total / cycles * cores * clock if cycles else 1.0
        yield Ceiling(name=name, is_memory=False, amount=total, per_us=rate)
    moved = sum(use.moved_bytes for use in recording.tensors)
    missed = sum(use.missing_cold if cold else use.missing_warm for use in recording.tensors)
    timing = chip.timing
    yield Ceiling(
        name="L2", is_memory=True, amount=moved, per_us=timing.l2_read_bytes_per_cycle * clock
    )
    yield Ceiling(
        name="HBM", is_memory=True, amount=missed, per_us=timing.hbm_read_bytes_per_cycle * clock
    )


def _work(recording: Recording) -> Counter[tuple[str, str]]:
    """Operations of all blocks, by unit and dtype."""
    found: Counter[tuple[str, str]] = Counter()
    times = Counter(recording.class_of)
    for place, stream in enumerate(recording.streams):
        for core in stream.cores:
            for work in core.works:
                shape = recording.shapes[work.shape]
                if unit := _unit(shape):
                    found[unit, shape.dtype] += shape.operations * times[place] // stream.slots
    return found


def _unit(shape: Shape) -> str:
    return {"mmad": "cube", "vector": "vector"}.get(shape.kind, "") if shape.operations else ""


def _verdict(ceilings: list[Ceiling], time: float, timeline: Timeline) -> str:
    if not ceilings:
        return "The launch computes nothing and moves nothing."
    near = ceilings[0]
    share = near.microseconds / time
    what = f"{near.name} alone would need {near.microseconds:.2f} of {time:.2f} us ({share:.0%})"
    if share >= BOUND:
        return f"{'Memory' if near.is_memory else 'Compute'} bound: {what}."
    busiest = max(timeline.lanes, key=lambda lane: (lane.busy_cycles, lane.name), default=None)
    busy = busiest.busy_cycles / timeline.cycles if busiest else 0.0
    name = busiest.name if busiest else "no pipe"
    return (
        f"Bound by latency, not by a ceiling: {what}; the busiest pipe, {name}, works {busy:.0%} "
        "of the time. Let its waits overlap with work; bubbles.csv lists them."
    )
