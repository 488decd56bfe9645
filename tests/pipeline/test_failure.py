"""Passes that refuse, passes that break down, and what is none of theirs."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import tlcourse  # noqa: F401  serves `import tilelang`
from tests.pipeline.minicv import Kernel
from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.pipeline import (
    NPUIR_PASSES,
    PassFailure,
    Step,
)


def _too_large() -> Kernel:
    kernel = Kernel("Expert")
    kernel.func = minicv_expert(512, 512, 256, 256, 256, 64)
    return kernel


def test_a_pass_that_refuses_gives_its_code_the_caret_and_the_trace() -> None:
    with pytest.raises(TLError) as caught:
        _too_large().compile(trace=True)
    failed = caught.value
    assert isinstance(failed, PassFailure)
    assert (failed.code, failed.pass_name) == ("TL301", "hivm-plan-memory")
    assert "memref.alloc" in failed.ir
    span = failed.diagnostic.labels[0].span
    assert span.end_column - span.column > 5
    assert "C_l0 = T.alloc_L0C" in str(failed)
    assert failed.trace is not None
    last = failed.trace.snapshots[-1]
    assert (last.pass_name, last.status) == ("hivm-plan-memory", "failed")
    assert failed.trace.texts[last.text_id] == failed.ir
    assert last.notes == (failed.diagnostic.what,)


def test_without_a_trace_the_error_is_the_same() -> None:
    with pytest.raises(PassFailure, match="TL301") as caught:
        _too_large().compile()
    assert caught.value.trace is None
    assert isinstance(caught.value.__cause__, TLError)


class _BrokenPass(ModulePass):
    name = "hivm-broken"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.body.block.erase_op(op.body.block.last_op)
        raise KeyError("no such buffer")


def test_a_pass_that_breaks_down_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (*NPUIR_PASSES[:3], Step(make=lambda setting: _BrokenPass()))
    monkeypatch.setattr("tlcourse.pipeline.exchange.NPUIR_PASSES", steps)
    with pytest.raises(PassFailure) as caught:
        Kernel("Expert").compile(trace=True)
    failed = caught.value
    assert (failed.code, failed.pass_name) == ("TL310", "hivm-broken")
    assert "KeyError: 'no such buffer'" in failed.diagnostic.why
    # the module before the pass, not what it left behind
    assert failed.ir.count("func.func @") == 2
    assert failed.trace is not None
    assert failed.trace.snapshots[-1].status == "failed"


@pytest.mark.parametrize("problem", [TimeoutError, MemoryError, KeyboardInterrupt])
def test_what_the_surrounding_program_raises_passes_through(
    problem: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(ModulePass):
        name = "hivm-interrupted"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            raise problem("time is up")

    steps = (Step(make=lambda setting: Interrupted()),)
    monkeypatch.setattr("tlcourse.pipeline.exchange.NPUIR_PASSES", steps)
    with pytest.raises(problem, match="time is up"):
        Kernel("Expert").compile()
