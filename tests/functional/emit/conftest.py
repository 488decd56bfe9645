"""Kernels through the TIR phase and the functional executor, as a launch takes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tlcourse.dialects.signature import stamp
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.language import PrimFunc
from tlcourse.pipeline import lower_tile
from tlcourse.records import Mode


@pytest.fixture
def run_kernel() -> Callable[..., None]:
    """Runs a kernel after the TIR phase; a finding fails the test."""

    def start(func: PrimFunc, *buffers: torch.Tensor | int | float, mode: Mode = "Expert") -> None:
        module = func.module.clone()
        stamp(module, mode=mode, target="npuir", out_idx=(), pass_configs={})
        program = generate(lower_tile(module, func.sources), func.sources)
        result = run(program, buffers, symbols={})
        assert result.findings == ()

    return start
