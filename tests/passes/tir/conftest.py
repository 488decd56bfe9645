"""Kernels for the TIR passes: compared by their text and by the numbers they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import tlcourse.language as T
from tlcourse.dialects.locations import located
from tlcourse.dialects.signature import function_of, stamp
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run

Apply = Callable[..., ModuleOp]


@pytest.fixture
def apply() -> Apply:
    """Runs passes on a copy of a kernel; the result verifies, has places and reads back."""

    def apply(
        kernel: T.PrimFunc | ModuleOp, passes: Sequence[ModulePass], mode: str = "Developer"
    ) -> ModuleOp:
        module = (kernel.module if isinstance(kernel, T.PrimFunc) else kernel).clone()
        stamp(module, mode=mode, target="npuir", out_idx=(), pass_configs={})
        for step in passes:
            step.apply(context(), module)
            module.verify()
        assert all(located(op) for op in module.walk())
        text = to_text(module, locations=True)
        assert to_text(from_text(text), locations=True) == text
        return module

    return apply


@pytest.fixture
def lines() -> Callable[[ModuleOp], list[str]]:
    """Text lines of a kernel function's body, stripped."""

    def lines(module: ModuleOp) -> list[str]:
        text = to_text(module).splitlines()
        start = next(i for i, line in enumerate(text) if "func.func" in line)
        return [line.strip() for line in text[start + 1 : -2]]

    return lines


@pytest.fixture
def same_numbers(apply: Apply) -> Callable[..., None]:
    """Checks that passes change no number: the kernel runs with and without them."""

    def same_numbers(
        kernel: T.PrimFunc, passes: Sequence[ModulePass], inputs: Sequence[torch.Tensor], **symbols
    ) -> None:
        results: list[list[torch.Tensor]] = []
        for steps in ((), passes):
            module = apply(kernel, steps)
            buffers = [tensor.clone() for tensor in inputs]
            run(generate(module, kernel.sources), buffers, symbols=symbols)
            results.append(buffers)
        for before, after in zip(*results, strict=True):
            torch.testing.assert_close(before, after, rtol=0, atol=0, equal_nan=True)

    return same_numbers


@pytest.fixture
def ops() -> Callable[[ModuleOp], list[str]]:
    """Names of the tl ops of a kernel, in order, without the frame."""

    def ops(module: ModuleOp) -> list[str]:
        names = [op.name for op in function_of(module).walk()]
        return [name for name in names if name.startswith("tl.") and name != "tl.kernel"]

    return ops
