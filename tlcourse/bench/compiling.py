"""`tlcourse bench compile`: FlashAttention through all embedded passes, cold and from the cache.

Its measure within the run is one turn of the unchanged IR through xDSL's own printer and parser:
what the passes take in units of that depends little on the machine.
"""

from __future__ import annotations

import importlib
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlcourse.bench.timing import Run, interleaved
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    from tlcourse.language import PrimFunc

PASSES, CACHED, REAL = "embedded passes", "from the cache", "real compiler"
ROUND_TRIP = "print and parse once"
MOST_FIRST_MS, MOST_CACHED_MS, MOST_ROUND_TRIPS = 500.0, 5.0, 3.0
_STARTS = 3
_CACHE_VARIABLES = ("TILELANG_CACHE_DIR", "TILELANG_DISABLE_CACHE")
_KERNEL = "attention 8x1024x64, tiles 64x64"
# A process of its own: whatever the passes load or build at their first use counts.
_FIRST = """
import time
start = time.perf_counter()
from tlcourse.finder import prefer_simulated
prefer_simulated()
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.pipeline import compile_module
func = flash_attention(8, 1024, 64, 64, 64)
loaded = time.perf_counter()
compile_module(func.module, func.sources, mode="Developer")
print(loaded - start, time.perf_counter() - loaded)
"""


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """How long compiling one kernel takes.

    Args:
        workload: the kernel.
        milliseconds: medians by contender, all in one interleaved run.
        first_milliseconds: the first compile of a process, with all imports done.
        import_milliseconds: those imports, and tracing the kernel.
        round_trips: the passes in units of printing and parsing the module once.
        budgets: the most milliseconds of the first compile and of one from the cache, and the
            most round trips.
        met: whether all three budgets are met.
    """

    workload: str
    milliseconds: dict[str, float]
    first_milliseconds: float
    import_milliseconds: float
    round_trips: float
    budgets: dict[str, float]
    met: bool


@dataclass(frozen=True, kw_only=True)
class CompileReport:
    """The figures, and what they were measured on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[Compiled, ...]

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return all(one.met for one in self.measured)


def measure_compile(*, peers: bool, seconds: float = 2.0) -> Compiled:
    """Measures FlashAttention in Developer mode.

    Args:
        peers: whether the real compiler runs along.
        seconds: time for each contender.

    Raises:
        TL350: peers are wanted, and the real compiler is not on this machine.
    """
    example = importlib.import_module("tlcourse.examples.flash_attention")
    func: PrimFunc = example.flash_attention(8, 1024, 64, 64, 64)
    with torch_threads(1), own_cache():
        times = interleaved(_contenders(func, peers=peers), seconds=seconds, rounds=200)
    imports, first = (statistics.median(column) for column in zip(*_first_compiles(), strict=True))
    return _judged({name: time * 1e3 for name, time in times.items()}, first * 1e3, imports * 1e3)


def _judged(milliseconds: dict[str, float], first: float, imports: float) -> Compiled:
    trips = milliseconds[PASSES] / milliseconds[ROUND_TRIP]
    within = first <= MOST_FIRST_MS and milliseconds[CACHED] <= MOST_CACHED_MS
    return Compiled(
        workload=_KERNEL,
        milliseconds={name: round(time, 3) for name, time in milliseconds.items()},
        first_milliseconds=round(first, 1),
        import_milliseconds=round(imports, 1),
        round_trips=round(trips, 2),
        budgets={
            "first compile": MOST_FIRST_MS,
            CACHED: MOST_CACHED_MS,
            "round trips": MOST_ROUND_TRIPS,
        },
        met=within and trips <= MOST_ROUND_TRIPS,
    )


def _contenders(func: PrimFunc, *, peers: bool) -> dict[str, Run]:
    from tlcourse.dialects.text import from_text, to_text
    from tlcourse.jit import compile
    from tlcourse.pipeline import compile_module

    module, sources = func.module, func.sources
    executable = compile_module(module, sources, mode="Developer").executable
    contenders: dict[str, Run] = {
        PASSES: lambda: compile_module(module, sources, mode="Developer"),
        CACHED: lambda: compile(func, mode="Developer").program("simulator", "embedded"),
        ROUND_TRIP: lambda: from_text(to_text(executable)),
    }
    real: Callable[[], object] = lambda: compile_module(  # noqa: E731
        module, sources, mode="Developer", backend="bishengir"
    )
    return {**contenders, REAL: real} if peers else contenders


@contextmanager
def own_cache() -> Generator[None]:
    """An empty cache folder, so that nothing of the user's is read or written."""
    before = {name: os.environ.get(name) for name in _CACHE_VARIABLES}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict(zip(_CACHE_VARIABLES, (folder, "0"), strict=True))
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def _first_compiles() -> list[tuple[float, float]]:
    """Seconds of imports and of the first compile, in several new processes."""
    return [_first_compile() for _ in range(_STARTS)]


def _first_compile() -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _FIRST], capture_output=True, text=True, check=True
    )
    imports, first = done.stdout.split()
    return float(imports), float(first)
