"""How long a precompiled package takes to load, in fresh processes, beside a first compile."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tlcourse

MOST_MILLISECONDS = 20.0
_ROUNDS = 9
_COMPILER = (
    "xdsl",
    "tlcourse.language",
    "tlcourse.pipeline",
    "tlcourse.passes",
    "tlcourse.dialects",
)

_LOADS = """
import json, sys, time
import torch
begin = time.perf_counter()
import tlcourse.examples.mini_ops as package
seconds = time.perf_counter() - begin
from tlcourse.examples.mini_ops.src.artefacts import KERNELS
kernels = KERNELS.operators()
print(json.dumps([seconds, len(kernels), sorted(sys.modules)]))
"""
_COMPILES = """
import json, time
import torch
begin = time.perf_counter()
import tlcourse, tilelang
from tlcourse.examples.softmax import softmax
tilelang.compile(softmax(), target="npuir", out_idx=[1], mode="Developer").program("simulator")
print(json.dumps([time.perf_counter() - begin, 1, []]))
"""


@dataclass(frozen=True, kw_only=True)
class Loading:
    """Medians of fresh processes, behind `import torch`.

    Args:
        kernels: how many the package brings, each hash compared.
        milliseconds: to import the package.
        most_milliseconds: the budget.
        first_compile_milliseconds: to import the compiler and compile one kernel instead.
        compiler_modules: what of the compiler the import has loaded.
        met: whether the budget is met and no compiler is loaded.
    """

    kernels: int
    milliseconds: float
    most_milliseconds: float = MOST_MILLISECONDS
    first_compile_milliseconds: float
    compiler_modules: tuple[str, ...]
    met: bool


def measure_loading() -> Loading:
    """Loads the package of the shipped operators, which has ten kernels."""
    loads = [_run(_LOADS) for _ in range(_ROUNDS)]
    compiles = [_run(_COMPILES) for _ in range(_ROUNDS // 3)]
    milliseconds = round(statistics.median(one[0] for one in loads) * 1e3, 1)
    modules = tuple(name for name in loads[0][2] if name.startswith(_COMPILER))
    return Loading(
        kernels=loads[0][1],
        milliseconds=milliseconds,
        first_compile_milliseconds=round(statistics.median(one[0] for one in compiles) * 1e3, 1),
        compiler_modules=modules,
        met=milliseconds <= MOST_MILLISECONDS and not modules,
    )


def _run(code: str) -> tuple[float, int, list[str]]:
    root = Path(tlcourse.__file__).parents[1]
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=True, timeout=120
    )
    seconds, count, modules = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), int(count), list(modules)
