"""Runs that cannot come to their end are findings, never tracebacks."""

from __future__ import annotations

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
    session = Session(load(program), launch, Params(turn_limit=3000), DEFAULT_CHIP)
    findings = session.run()
    assert [finding.diagnostic.code for finding in findings] == ["TL504"]
    assert findings[0].diagnostic.labels[0].span.line == 2


def test_unknown_checks_are_refused(tiny) -> None:
    with pytest.raises(ValueError, match="off, class or all"):
        tiny.run([], [], vector="hivm.hir.pipe_barrier[<PIPE_V>]", checks="some")
