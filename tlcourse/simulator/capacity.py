"""Buffers that do not fit into their memory, with the memory map in the message."""

from __future__ import annotations

from tlcourse.chips import Chip
from tlcourse.diagnostics import Diagnostic, Label
from tlcourse.records import Finding, MemoryMap, PlannedBuffer, Program
from tlcourse.simulator.wording import MEMORY_NAMES

_AGENT = {"ub": "aiv0", "cbuf": "aic", "cc": "aic", "ca": "aic", "cb": "aic"}


def overfull(program: Program, chip: Chip) -> tuple[Finding, ...]:
    """TL527 for each memory with a buffer that ends behind the memory's last byte."""
    return tuple(
        _finding(found, buffers, chip.sizes_bytes[found.space])
        for found in program.memory
        if (buffers := _outside(found, chip.sizes_bytes[found.space]))
    )


def _outside(found: MemoryMap, capacity: int) -> list[PlannedBuffer]:
    return [b for b in found.buffers if b.offset_bytes + b.size_bytes > capacity]


def _finding(found: MemoryMap, outside: list[PlannedBuffer], capacity: int) -> Finding:
    name = MEMORY_NAMES[found.space]
    worst = max(outside, key=lambda b: b.offset_bytes + b.size_bytes)
    end = worst.offset_bytes + worst.size_bytes
    rows = [
        f"{b.name}: {b.offset_bytes:,} to {b.offset_bytes + b.size_bytes - 1:,}"
        for b in sorted(found.buffers, key=lambda b: (b.offset_bytes, b.name))
    ]
    label = f"ends at byte {end:,}"
    return Finding(
        diagnostic=Diagnostic(
            code="TL527",
            what=f"{worst.name} ends at byte {end:,} of {name}, which holds {capacity:,}",
            labels=(Label(span=worst.span, text=label),) if worst.span else (),
            why=f"the buffers that are alive together do not fit; {name} in bytes: "
            + "; ".join(rows),
            fix="make the tile smaller, or reuse a buffer that is no longer needed",
        ),
        agent=_AGENT[found.space],
        block=0,
    )
