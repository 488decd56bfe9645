"""How many modules of the real pipeline are read typed and come back the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.bench.modules import modules_in
from tlcourse.bishengir import compile_text
from tlcourse.bishengir.read_back import read_back
from tlcourse.conformance import Settings, run_suite
from tlcourse.dialects.text import to_text
from tlcourse.examples.course import COURSE
from tlcourse.pipeline import compile_module
from tlcourse.records import Mode


@dataclass(frozen=True, kw_only=True)
class Count:
    """Some modules, and how many of them are read and come back."""

    passed: int
    total: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.total}"


def of_course() -> Count:
    """What the real pipeline makes of the kernels of the course."""
    made = [compile_module(k.func.module, k.func.sources, mode=k.mode) for k in COURSE]
    return _count((to_text(one.mlir), k.mode) for one, k in zip(made, COURSE, strict=True))


def of_folder(folder: Path) -> Count:
    """What it makes of the modules in a folder."""
    return _count((module.text, module.mode) for module in modules_in(folder))


def of_upstream(checkout: Path) -> tuple[Count, Count]:
    """What it makes of upstream's kernel sources: by our code generation, and by upstream's."""
    cases = run_suite(Settings(suite="goldens", folder=checkout)).cases
    return (
        _steps([case.steps for case in cases], "compiled", "read back"),
        _steps([case.steps for case in cases], "upstream's compiled", "upstream's read back"),
    )


def _count(modules: Iterable[tuple[str, Mode]]) -> Count:
    found = [read_back(compile_text(text, mode=mode)).passed for text, mode in modules]
    return Count(passed=sum(found), total=len(found))


def _steps(cases: Sequence[Mapping[str, bool]], before: str, step: str) -> Count:
    reached = [case for case in cases if case.get(before)]
    return Count(passed=sum(case.get(step, False) for case in reached), total=len(reached))
