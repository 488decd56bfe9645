"""Time: what a launch issues, recorded once, and how long a chip takes for it."""

from __future__ import annotations

from tlcourse.simulator.cycles.engine import StandstillError
from tlcourse.simulator.cycles.recording import record
from tlcourse.simulator.cycles.stream import Recording
from tlcourse.simulator.cycles.timing import (
    launch_cycles,
    limits,
    microseconds,
    pipe_cycles,
    timeline,
)

__all__ = [
    "Recording",
    "StandstillError",
    "launch_cycles",
    "limits",
    "microseconds",
    "pipe_cycles",
    "record",
    "timeline",
]
