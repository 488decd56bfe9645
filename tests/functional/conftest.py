"""One call that generates and runs a kernel the way a precompiled package does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
import torch

from tlcourse.dialects.signature import stamp
from tlcourse.functional.generate import generate
from tlcourse.functional.run import FunctionalRun, run
from tlcourse.language import PrimFunc
from tlcourse.records import Mode, Program, from_json, to_json

Launch = Callable[..., FunctionalRun]


def program_of(func: PrimFunc, mode: Mode = "Expert") -> Program:
    """The Program of a kernel, written to JSON and read back."""
    stamp(func.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    return from_json(Program, to_json(generate(func.module, func.sources)))


@pytest.fixture
def program() -> Callable[..., Program]:
    """Generates the Program of a kernel."""
    return program_of


@pytest.fixture
def launch() -> Launch:
    """Generates and runs a kernel."""

    def start(
        func: PrimFunc,
        *buffers: torch.Tensor | int | float,
        mode: Mode = "Expert",
        symbols: Mapping[str, int] | None = None,
        step_limit: int | None = 10**8,
    ) -> FunctionalRun:
        program = program_of(func, mode)
        return run(program, buffers, symbols=symbols or {}, step_limit=step_limit)

    return start


@pytest.fixture
def faults(launch: Launch) -> Callable[..., list[str]]:
    """Runs a kernel and gives the rendered text of its findings."""
    from tlcourse.diagnostics import render_text

    def start(func: PrimFunc, *buffers: torch.Tensor | int | float, **options: object) -> list[str]:
        found = launch(func, *buffers, **options).findings
        return [render_text(finding.diagnostic, func.sources) for finding in found]

    return start
