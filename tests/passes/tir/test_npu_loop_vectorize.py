"""NpuLoopVectorize: element loops, the vector ops they become, and the numbers of both."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tests.passes.tir.kept_bodies import KEPT
from tests.passes.tir.parallel_bodies import (
    TURNED,
    Loop,
    kernel_of,
    to_global,
    whole_numbers,
)
from tlcourse.dialects import tl
from tlcourse.dialects.notes import notes_of
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.passes.tir.npu_loop_vectorize import NpuLoopVectorizePass
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass

PASSES = (SimplifyPass(), RemoveNoOpPass(), NpuLoopVectorizePass(), RemoveNoOpPass())


def inputs(dtype: torch.dtype = torch.float32) -> list[torch.Tensor | int]:
    torch.manual_seed(0)
    a, b, c = (torch.rand(16, 32).to(dtype) for _ in range(3))
    return [a, b, c]


def new_ops(names: list[str]) -> list[str]:
    """The ops of the turned loop: without allocations, regions and the kernel's own copies."""
    words = [name.removeprefix("tl.") for name in names]
    middle = [word for word in words if word not in ("alloc", "region", "for", "load")]
    return middle[3:-1]


@pytest.mark.parametrize(("loop", "wanted", "loops"), TURNED, ids=lambda v: _id(v))
def test_turned(apply, ops, loop: Loop, wanted: list[str], loops: int) -> None:
    module = apply(kernel_of(loop), PASSES)
    names = ops(module)
    assert new_ops(names) == wanted
    assert names.count("tl.for") == loops
    assert "tl.store" not in names


@pytest.mark.parametrize(("loop", "reason"), KEPT.items(), ids=lambda v: _id(v))
def test_kept(apply, ops, loop: Loop, reason: str) -> None:
    module = apply(kernel_of(loop), PASSES)
    notes = notes_of(module)
    assert any(reason in note for note in notes), notes
    kinds = {op.kind.data for op in module.walk() if isinstance(op, tl.ForOp)}
    assert kinds == {"serial"}


@pytest.mark.parametrize(
    "loop", [*(case[0] for case in TURNED), whole_numbers, *KEPT], ids=lambda v: _id(v)
)
def test_numbers_stay(same_numbers_close, loop: Loop) -> None:
    same_numbers_close(kernel_of(loop))


@pytest.fixture
def same_numbers_close(apply) -> Callable[[T.PrimFunc], None]:
    """Element by element and as tiles, torch may round the last digit in another way."""
    from tlcourse.functional.generate import generate
    from tlcourse.functional.run import run

    def check(kernel: T.PrimFunc) -> None:
        results = []
        for steps in ((), PASSES):
            buffers = [*(tensor.clone() for tensor in inputs()), 3]
            run(generate(apply(kernel, steps), kernel.sources), buffers, symbols={})
            results.append(buffers[2])
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)

    return check


def test_temporaries_stand_in_the_memory_of_the_mode(apply) -> None:
    for mode, scope in (("Developer", "shared.dyn"), ("Expert", "shared")):
        module = apply(kernel_of(to_global), PASSES, mode)
        scopes = [
            tl.scope_of(op.result)
            for op in module.walk()
            if isinstance(op, tl.AllocOp) and op.label.data.startswith("tmp_")
        ]
        assert scopes == [scope]


def _id(value: object) -> str:
    function = getattr(value, "_function", None)
    return function.__name__ if function else str(value)


def test_a_module_without_tile_ir_stays_as_it_is() -> None:
    text = "builtin.module {\n  func.func @k() {\n    func.return\n  }\n}\n"
    module = from_text(text)
    NpuLoopVectorizePass().apply(context(), module)
    assert to_text(module) == text
