"""Reads of memory that nothing has written."""

from __future__ import annotations

import torch

# Rows 0 and 1 of a 4 x 8 tile are loaded; lines 6 to 8 compute on all four rows.
TAIL = """%u = hivm.hir.pointer_cast(%c0) : UB(4x8xf32)
%v = hivm.hir.pointer_cast(%c128) : UB(4x8xf32)
%r = hivm.hir.pointer_cast(%c256) : UB(4x1xf32)
%top = memref.subview %u[0, 0] [2, 8] [1, 1] : UB(4x8xf32) to UB(2x8xf32, strided<[8, 1]>)
hivm.hir.load ins(%A2 : GM(2x8xf32)) outs(%top : UB(2x8xf32, strided<[8, 1]>))
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.vexp ins(%u : UB(4x8xf32)) outs(%v : UB(4x8xf32))
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vreduce <sum> ins(%v : UB(4x8xf32)) outs(%r : UB(4x1xf32)) reduce_dims = [1]
hivm.hir.pipe_barrier[<PIPE_ALL>]
%out = memref.subview %r[0, 0] [{rows}, 1] [1, 1] : UB(4x1xf32) to UB({rows}x1xf32, strided<[1, 1]>)
hivm.hir.store ins(%out : UB({rows}x1xf32, strided<[1, 1]>)) outs(%B2 : GM({rows}x1xf32))"""
HEAD = """%A2 = memref.reinterpret_cast %A to offset: [0], sizes: [2, 8], strides: [8, 1] : \
GM(?xf32) to GM(2x8xf32)
%B2 = memref.reinterpret_cast %B to offset: [0], sizes: [{rows}, 1], strides: [1, 1] : GM(?xf32) \
to GM({rows}x1xf32)
"""


def _launch(tiny, helpers, rows: int):
    a, b = torch.ones(2, 8), torch.full((rows,), torch.nan)
    tensors = [helpers.tensor("A", "float32", 2, 8), helpers.tensor("B", "float32", rows)]
    return tiny.run(tensors, [a, b], vector=(HEAD + TAIL).format(rows=rows)), b


def test_computing_on_a_tail_is_no_fault(tiny, helpers) -> None:
    result, b = _launch(tiny, helpers, 2)
    assert result.findings == ()
    torch.testing.assert_close(b, torch.ones(2, 8).exp().sum(1))


def test_using_the_results_of_a_tail_is(tiny, helpers) -> None:
    result, b = _launch(tiny, helpers, 4)
    assert helpers.codes(result) == ["TL520"]
    found = result.findings[0]
    assert helpers.lines(found) == [14, 9]
    assert "store uses 2 of 4 elements" in found.diagnostic.what
    assert "vexp read them first" in found.diagnostic.what
    assert torch.isnan(b[2:]).all()


def test_a_sum_over_missing_columns_is_missing(tiny, helpers) -> None:
    text = (HEAD + TAIL).format(rows=2).replace("[2, 8] [1, 1]", "[2, 4] [1, 1]")
    text = text.replace("2x8xf32, strided<[8, 1]>", "2x4xf32, strided<[8, 1]>")
    text = text.replace("sizes: [2, 8], strides: [8, 1]", "sizes: [2, 4], strides: [4, 1]")
    text = text.replace("GM(2x8xf32)", "GM(2x4xf32)")
    tensors = [helpers.tensor("A", "float32", 2, 4), helpers.tensor("B", "float32", 2)]
    result = tiny.run(tensors, [torch.ones(2, 4), torch.zeros(2)], vector=text)
    assert helpers.codes(result) == ["TL520"]
    assert "store uses 2 of 2 elements" in result.findings[0].diagnostic.what


def test_forgotten_load(vadd_launch, vadd_lines: str, helpers) -> None:
    lines = vadd_lines.splitlines()
    lines[3] = ""
    result, c, _ = vadd_launch("\n".join(lines))
    assert helpers.codes(result) == ["TL520"]
    assert helpers.lines(result.findings[0]) == [10, 7]
    assert torch.isnan(c).all()


def test_stored_without_being_computed(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xi32)
hivm.hir.store ins(%u : UB(64xi32)) outs(%A1 : GM(64xi32))"""
    a = torch.zeros(64, dtype=torch.int32)
    result = tiny.run([helpers.tensor("A", "int32", 64)], [a], vector=vector)
    assert helpers.codes(result) == ["TL520"]
    assert helpers.lines(result.findings[0]) == [2]
    assert (a == 0x7FFF7FFF).all(), "poison is recognisable in integers, too"


def test_scratch_of_an_op_is_not_a_value(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(8x8xf32)
%r = hivm.hir.pointer_cast(%c256) : UB(8x1xf32)
%t = hivm.hir.pointer_cast(%c512) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(8x8xf32))
hivm.hir.vbrc ins(%one : f32) outs(%t : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vreduce <sum> ins(%u : UB(8x8xf32)) outs(%r : UB(8x1xf32)) temp_buffer(%t : UB(64xf32)) \
reduce_dims = [1]
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%t : UB(64xf32)) outs(%A1 : GM(64xf32))"""
    result = tiny.run([helpers.tensor("A", "float32", 64)], [torch.zeros(64)], vector=vector)
    assert helpers.codes(result) == ["TL520"]


def test_scalar_read(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%x = memref.load %u[%i3] : UB(64xf32)
memref.store %x, %A1[%i0] : GM(64xf32)"""
    result = tiny.run([helpers.tensor("A", "float32", 64)], [torch.zeros(64)], vector=vector)
    assert helpers.codes(result) == ["TL520"]
    assert helpers.lines(result.findings[0]) == [2]


def test_output_read_before_it_is_written(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
%s = memref.subview %A1[0] [32] [1] : GM(64xf32) to GM(32xf32)
%h = memref.subview %u[0] [32] [1] : UB(64xf32) to UB(32xf32)
set MTE2 MTE3 0
wait MTE2 MTE3 0
hivm.hir.store ins(%h : UB(32xf32)) outs(%s : GM(32xf32))"""
    result = tiny.run(
        [helpers.tensor("A", "float32", 64)], [torch.zeros(64)], vector=vector, out_idx=(0,)
    )
    assert helpers.codes(result) == ["TL520", "TL528"]
    assert "64 elements of A in GM" in result.findings[0].diagnostic.what
