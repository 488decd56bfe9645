"""`tlcourse bench startup`: what a learner waits for first: imports, a first cell, a first check.

Imports are timed in fresh processes; cells are timed by a notebook's own kernel.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from tlcourse.bench.hand_ins import exercises

_ROUNDS = 5
_EXERCISE = "d2.minicv"
_PROCESSES = {
    "python alone": ("pass", None),
    "import tlcourse": ("import tlcourse", 0.7),
    "import torch": ("import torch", None),
    "imports of a lesson": (
        "import tlcourse, torch, torch_npu, tilelang, tilelang.language as T",
        None,
    ),
    "tlcourse --help": ("from tlcourse.cli import app; app(['--help'])", None),
}
_IMPORTS = """import torch
import tlcourse
import torch_npu
import tilelang
import tilelang.language as T"""
_FIRST = """@T.prim_func
def minicv(A: T.Tensor((256, 128), "float16"), B: T.Tensor((128, 512), "float16"),
           C: T.Tensor((256, 512), "float32"), D: T.Tensor((256, 512), "float32")):
    with T.Kernel(16, is_npu=True) as (cid, _):
        bx, by = cid // 4 * 64, cid % 4 * 128
        a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 128), "float16")
        c, d = T.alloc_fragment((64, 128), "float32"), T.alloc_fragment((64, 128), "float32")
        for k in T.serial(2):
            T.copy(A[bx : bx + 64, k * 64 : k * 64 + 64], a)
            T.copy(B[k * 64 : k * 64 + 64, by : by + 128], b)
            T.gemm(a, b, c, initC=(k == 0))
        T.copy(c, C[bx : bx + 64, by : by + 128])
        T.vexp(c, d)
        T.copy(d, D[bx : bx + 64, by : by + 128])

kernel = tilelang.compile(minicv, target="npuir", out_idx=[2, 3], mode="Developer")
A, B = torch.randn(256, 128).half() / 16, torch.randn(128, 512).half()
C, D = kernel(A.npu(), B.npu())
assert torch.allclose(C.cpu(), A.float() @ B.float(), atol=1e-2)"""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """One thing that is waited for.

    Args:
        name: what.
        seconds: the median of several.
        most_seconds: the budget, None where there is none.
    """

    name: str
    seconds: float
    most_seconds: float | None

    @property
    def met(self) -> bool:
        """Whether it takes no longer than its budget."""
        return self.most_seconds is None or self.seconds <= self.most_seconds


@dataclass(frozen=True, kw_only=True)
class StartupReport:
    """All waits, and what they were measured on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[Wait, ...]

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return all(one.met for one in self.measured)


def measure_startup(rounds: int = _ROUNDS) -> tuple[Wait, ...]:
    """Times imports in fresh processes, then the cells of a small notebook.

    Args:
        rounds: how often each is done.
    """
    times = [_process_times() for _ in range(rounds)]
    waits = [_wait(name, [one[name] for one in times], most) for name, (_, most) in _rows()]
    cells = [_cell_times() for _ in range(rounds)]
    names = ("a first cell with MiniCV", "the first check", "the next check")
    # The first check waits for the judging process as well; the budget is for what follows it.
    budgets = (1.0, None, 1.0)
    columns = zip(*cells, strict=True)
    rows = zip(names, columns, budgets, strict=True)
    return (*waits, *(_wait(name, list(column), most) for name, column, most in rows))


def _rows() -> list[tuple[str, tuple[str, float | None]]]:
    return list(_PROCESSES.items())


def _wait(name: str, seconds: list[float], most: float | None) -> Wait:
    return Wait(name=name, seconds=round(statistics.median(seconds), 3), most_seconds=most)


def _process_times() -> dict[str, float]:
    return {name: _process_time(code) for name, (code, _) in _PROCESSES.items()}


def _process_time(code: str) -> float:
    command = [sys.executable, "-c", f"from tlcourse.finder import prefer_simulated\n{code}"]
    if code in ("pass", "import torch"):
        command = [sys.executable, "-c", code]
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def _cell_times() -> list[float]:
    """Seconds of the cells behind the imports, in a kernel that has an empty cache."""
    import nbformat
    from nbclient import NotebookClient

    from tlcourse.build.notebooks import kernel_environment

    (exercise,) = exercises((_EXERCISE,))
    check = f'tlcourse.check("{_EXERCISE}", {_entry()})'
    cells = (_IMPORTS, _FIRST, exercise.solution, check, check)
    notebook = cast(Any, nbformat).v4.new_notebook(
        cells=[cast(Any, nbformat).v4.new_code_cell(text) for text in cells]
    )
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        client = NotebookClient(notebook, resources={"metadata": {"path": folder}})
        client.execute(env=kernel_environment(Path(folder)))
    return [_seconds(notebook.cells[place]) for place in (1, 3, 4)]


def _entry() -> str:
    from tlcourse.grading.spec import load

    return str(load(_EXERCISE).entry)


def _seconds(cell: Any) -> float:
    """From the kernel's start of a cell to its end, by its own messages."""
    said = cell.metadata.execution
    begin, end = (said[f"iopub.status.{state}"] for state in ("busy", "idle"))
    return (_moment(end) - _moment(begin)).total_seconds()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
