"""MiniCV in both modes, for tests of the whole compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import torch
from xdsl.dialects.builtin import ModuleOp

import tlcourse  # noqa: F401  serves `import tilelang`
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.pipeline import (
    Compilation,
    compile_module,
)
from tlcourse.records import Mode
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run

MODES: tuple[Mode, ...] = get_args(Mode)
FACTORY = {"Developer": minicv_developer, "Expert": minicv_expert}
SIZES = (256, 512, 256, 128, 256, 64)
TOLERANCE = 1e-4  # float32, the dtype of C and D
TIR = [
    "BindTarget",
    "Simplify",
    "RemoveNoOp",
    "NpuLoopVectorize",
    "LegalizeNpuirBF16",
    "PlanAndUpdateBufferAllocationLocation",
    "LowerOpaqueBlock",
    "LowerNpuirBlock",
    "RemoveNoOp",
]


@dataclass
class Kernel:
    """MiniCV in one mode."""

    mode: Mode

    def __post_init__(self) -> None:
        self.func = FACTORY[self.mode](*SIZES)

    def compile(self, **how) -> Compilation:
        return compile_module(self.func.module, self.func.sources, mode=self.mode, **how)


def count(module: ModuleOp, *kinds: type) -> int:
    return sum(isinstance(op, kinds) for op in module.walk())


def check_numbers(kernel: Kernel, done: Compilation) -> None:
    m, n, k = SIZES[:3]
    torch.manual_seed(0)
    a = (torch.randn(m, k) / k**0.5).half()
    b = torch.randn(k, n).half()
    c, d = (torch.full((m, n), float("nan")) for _ in range(2))
    launch = signature(done.tile, kernel.func.sources)
    program = generate(done.executable, launch, kernel.func.sources, DEFAULT_CHIP)
    found = run(program, [a, b, c, d], symbols={}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in found.findings] == []
    expected = a.float() @ b.float()
    torch.testing.assert_close(c, expected, rtol=TOLERANCE, atol=TOLERANCE)
    torch.testing.assert_close(d, expected.exp(), rtol=TOLERANCE, atol=TOLERANCE)
