"""auto-blockify-parallel-loop: a grid larger than the chip, numbers and launched blocks."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tests.pipeline.minicv import MODES, Kernel, check_numbers
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.pipeline import PassOptions, compile_module
from tlcourse.records import Backend, Mode
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import SimulatorRun, run

BLOCKS, SIDE = 130, 16
LOOP = PassOptions(auto_blockify_loop=True)


@T.prim_func
def exps(A: T.Tensor((BLOCKS * SIDE, SIDE), "float32"),
         B: T.Tensor((BLOCKS * SIDE, SIDE), "float32")):  # fmt: skip
    with T.Kernel(BLOCKS, is_npu=True) as (cid, _):
        a = T.alloc_ub((SIDE, SIDE), "float32")
        T.copy(A[cid * SIDE : cid * SIDE + SIDE, :], a)
        T.vexp(a, a)
        T.copy(a, B[cid * SIDE : cid * SIDE + SIDE, :])


def _launch(mode: Mode, options: PassOptions, backend: Backend) -> SimulatorRun:
    done = compile_module(exps.module, exps.sources, mode=mode, options=options, backend=backend)
    launch = signature(done.tile, exps.sources)
    program = generate(done.executable, launch, exps.sources, DEFAULT_CHIP)
    torch.manual_seed(0)
    a = torch.randn(BLOCKS * SIDE, SIDE)
    b = torch.full_like(a, float("nan"))
    found = run(program, [a, b], symbols={}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in found.findings] == []
    torch.testing.assert_close(b, a.exp(), rtol=1e-4, atol=1e-4)
    return found


@pytest.mark.parametrize("mode", MODES)
def test_more_blocks_than_cores(mode: Mode) -> None:
    """130 blocks on 48 vector cores: three turns at most, and cheaper than 130 starts."""
    looped, plain = _launch(mode, LOOP, "embedded"), _launch(mode, PassOptions(), "embedded")
    assert looped.timeline.cycles < plain.timeline.cycles


@pytest.mark.usefixtures("bishengir_opt")
def test_the_real_pass_gives_the_same_numbers() -> None:
    """In Expert mode; in Developer mode bishengir-opt 1.2.0 nests the pass wrongly and aborts."""
    _launch("Expert", LOOP, "bishengir")


@pytest.mark.parametrize("mode", MODES)
def test_a_grid_that_fits_computes_the_same(mode: Mode) -> None:
    kernel = Kernel(mode)
    check_numbers(kernel, kernel.compile(options=LOOP))
