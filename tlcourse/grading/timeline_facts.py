"""Answers that are read off a timeline: what a lane waits for, and which pipe bounds a kernel."""

from __future__ import annotations

import linecache
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import stamp
from tlcourse.examples import flash_attention_expert as attention
from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit.dtypes import poisoned
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.settings import Settings
from tlcourse.records import Mode, Timeline

_STEADY_PERCENT = 80
"""A pipe that works this part of the time is what bounds a kernel; estimated, for the exercise."""

# What follows a gap's cause, by the op that the gap ends with.
_CAUSES = {
    "store": "hand-over",
    "fixpipe": "hand-over",
    "load": "load",
    "nd2nz": "load",
    "load_l0": "load",
    "mmadL1": "result",
    "vcast": "result",
}
_FLAGS = {"SW": attention.SCORES, "PW": attention.WEIGHTS, "VW": attention.VALUES}
_ENDS = re.compile(r"(\w+) on (\w+)(?: of [\w ]+)?, line (\d+)")


@dataclass(frozen=True, kw_only=True)
class _Study:
    make: Callable[..., Any]
    mode: Mode
    out_idx: tuple[int, ...]
    sizes: Mapping[str, int] = field(hash=False)


def _minicv(block_M: int, block_N: int, K: int) -> _Study:
    sizes = {"M": 1024, "N": 1024, "K": K, "block_M": block_M, "block_N": block_N, "block_K": 64}
    return _Study(make=minicv_developer, mode="Developer", out_idx=(2, 3), sizes=sizes)


_STUDIES = {
    "attention": _Study(
        make=attention.flash_attention_expert,
        mode="Expert",
        out_idx=(3,),
        sizes={"heads": 1, "S": 256, "D": 64},
    ),
    "minicv_64x64_deep": _minicv(64, 64, 2048),
    "minicv_128x128": _minicv(128, 128, 64),
    "minicv_256x32": _minicv(256, 32, 64),
    "minicv_16x16": _minicv(16, 16, 64),
}


@cache
def _timeline(name: str) -> Timeline:
    study = _STUDIES[name]
    settings = Settings(
        mode=study.mode,
        target="npuir",
        pass_configs={},
        chip=DEFAULT_CHIP,
        backend="embedded",
        execution="simulator",
        checks="class",
        cache_folder=None,
    )
    made = study.make(**study.sizes)
    module = made.module.clone()
    stamp(module, mode=study.mode, target="npuir", out_idx=study.out_idx, pass_configs={})
    kernel = Kernel(module, made.sources, settings)
    inputs = [
        poisoned(tuple(map(int, parameter.extents)), parameter.dtype).zero_()
        for index, parameter in enumerate(kernel.params)
        if index not in study.out_idx
    ]
    return kernel.profile(*inputs)


def _gap(name: str, lane: str, rank: str) -> str:
    """What the longest gaps of a lane wait for: a pipe, a flag between cores or `-`, a cause.

    Args:
        name: the kernel.
        lane: for example `aic.MTE2`.
        rank: 1 for the cause that takes most time in all, 2 for the next one.
    """
    spent: Counter[str] = Counter()
    for gap in _timeline(name).bubbles:
        if gap.lane == lane and gap.cause != "issue":
            spent[gap.cause] += gap.end_cycle - gap.start_cycle
    cause = spent.most_common()[int(rank) - 1][0]
    if cause.startswith("barrier of "):
        return f"{cause.removeprefix('barrier of ')} - order"
    found = _ENDS.fullmatch(cause)
    if found is None:
        raise ValueError(f"{name}: the gap of {lane} waits for {cause}")
    op, pipe, line = found.groups()
    text = linecache.getline(str(attention.__file__), int(line))
    flags = [flag for space, flag in _FLAGS.items() if space in text]
    is_handed_over = _CAUSES[op] == "hand-over"
    return f"{pipe} {flags[0] if is_handed_over else '-'} {_CAUSES[op]}"


def _bound(name: str) -> str:
    """The busiest pipe, and whether it works all the time (`steady`) or in turns."""
    timeline = _timeline(name)
    busiest = max(timeline.lanes, key=lambda lane: lane.busy_cycles)
    share = 100 * busiest.busy_cycles / (timeline.cycles - timeline.launch_cycles)
    return f"{busiest.pipe} {'steady' if share >= _STEADY_PERCENT else 'turns'}"


FACTS: dict[str, Callable[..., str]] = {"gap": _gap, "bound": _bound}
