"""Runs that cannot come to their end are findings, never tracebacks."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.simulator.arguments import bind
from tlcourse.simulator.loading import load
from tlcourse.simulator.params import Params
from tlcourse.simulator.session import Session


def test_division_by_zero(tiny, helpers) -> None:
    vector = """%b = hivm.hir.get_block_idx -> i64
%x = arith.divsi %c8, %b : i64
%o = arith.index_cast %x : i64 to index
%p = memref.load %A1[%o] : GM(64xf32)"""
    result = tiny.run([helpers.tensor("A", "float32", 64)], [torch.ones(64)], vector=vector)
    assert helpers.codes(result) == ["TL506"]


def test_product_of_a_tile_that_is_not_fractal(tiny, helpers) -> None:
    cube = """%l = hivm.hir.pointer_cast(%c0) : L1(256xf16)
%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%t = arith.constant true
hivm.hir.mmadL1 ins(%l, %l, %t, %i16, %i16, %i16 : L1(256xf16), L1(256xf16), i1, index, index, \
index) outs(%c : L0C(1x1x16x16xf32))"""
    result = tiny.run([], [], cube=cube)
    assert helpers.codes(result) == ["TL530"]


def test_tile_that_torch_refuses(tiny, helpers) -> None:
    cube = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%d = memref.reinterpret_cast %A to offset: [0], sizes: [32, 32], strides: [32, 1] : GM(?xf32) to \
GM(32x32xf32)
hivm.hir.fixpipe {enable_nz2nd} ins(%c : L0C(1x1x16x16xf32)) outs(%d : GM(32x32xf32))"""
    result = tiny.run([helpers.tensor("A", "float32", 32, 32)], [torch.ones(32, 32)], cube=cube)
    assert helpers.codes(result) == ["TL520", "TL530"]
    assert result.findings[1].diagnostic.what.startswith("fixpipe could not be computed")
    assert helpers.lines(result.findings[1]) == [3]


def test_loops_without_end(tiny, helpers) -> None:
    vector = """scf.for %i = %c0 to %c1000 step %c1 : i64 {
scf.for %j = %c0 to %c1000 step %c1 : i64 {
hivm.hir.pipe_barrier[<PIPE_V>]
}
}"""
    program = tiny.program([], vector=vector)
    launch = bind(program, [], {})
    session = Session(load(program), launch, Params(step_limit=3000), DEFAULT_CHIP)
    findings = session.run()
    assert [finding.diagnostic.code for finding in findings] == ["TL504"]
    assert findings[0].diagnostic.labels[0].span.line == 1
    # A turn of j is one step and a barrier of 20; a turn of i one step and all turns of j.
    assert "this loop turns 1,000 times, 21,001 steps each" in findings[0].diagnostic.what
    assert "TLCOURSE_STEP_LIMIT" in findings[0].diagnostic.fix


def test_slow_turns_end_at_once_by_default(tiny, helpers) -> None:
    """A million turns of one vector op would take minutes."""
    vector = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%million = arith.constant 1000000 : i64
scf.for %i = %c0 to %million step %c1 : i64 {
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%a : UB(64xf32))
}"""
    result = tiny.run([], [], vector=vector)
    assert helpers.codes(result) == ["TL504"]
    assert "1,000,000 times, 101 steps each" in result.findings[0].diagnostic.what


def test_the_limit_can_be_set(tiny, helpers, monkeypatch: pytest.MonkeyPatch) -> None:
    vector = """scf.for %i = %c0 to %c1000 step %c1 : i64 {
hivm.hir.pipe_barrier[<PIPE_V>]
}"""
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "20000")
    assert helpers.codes(tiny.run([], [], vector=vector)) == ["TL504"]
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "30_000")
    assert helpers.codes(tiny.run([], [], vector=vector)) == []


def test_blocks_are_counted(tiny) -> None:
    vector = "hivm.hir.pipe_barrier[<PIPE_V>]"
    program = tiny.program([], vector=vector)
    launch = replace(bind(program, [], {}), blocks=1000)
    findings = Session(load(program), launch, Params(step_limit=119_999), DEFAULT_CHIP).run()
    assert [finding.diagnostic.code for finding in findings] == ["TL504"]
    assert "the grid has 1,000 blocks of 120 steps or more" in findings[0].diagnostic.what


def test_unknown_checks_are_refused(tiny) -> None:
    with pytest.raises(ValueError, match="off, class or all"):
        tiny.run([], [], vector="hivm.hir.pipe_barrier[<PIPE_V>]", checks="some")
