"""Tiles that leave their tensor or their memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tlcourse.simulator.run import run
from tlcourse.slack import BESIDE_WHY

LOAD = """%u = hivm.hir.pointer_cast(%c0) : UB({rows}x32xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [64, 64], strides: [64, 1] : GM(?xf32) to \
GM(64x64xf32)
%s = memref.subview %a[%i{row}, %i{column}] [{rows}, 32] [1, 1] : GM(64x64xf32) to \
GM({rows}x32xf32, strided<[64, 1], offset: ?>)
hivm.hir.load ins(%s : GM({rows}x32xf32, strided<[64, 1], offset: ?>)) outs(%u : \
UB({rows}x32xf32))"""


@pytest.mark.parametrize(
    ("row", "column", "dim", "text"),
    [
        pytest.param(56, 0, 0, "dimension 0 from 56 to 71, but its extent is 64", id="rows"),
        pytest.param(0, 48, 1, "dimension 1 from 48 to 79, but its extent is 64", id="columns"),
        pytest.param(128, 0, 0, "dimension 0 from 128 to 143", id="far behind the end"),
    ],
)
def test_subview_of_a_tensor(tiny, helpers, row: int, column: int, dim: int, text: str) -> None:
    vector = LOAD.format(rows=16, row=row, column=column)
    tensors = [helpers.tensor("A", "float32", 64, 64)]
    result = tiny.run(tensors, [torch.ones(64, 64)], vector=vector)
    assert helpers.codes(result) == ["TL501"]
    assert text in result.findings[0].diagnostic.what
    assert "load reads A outside its bounds in block 0" in result.findings[0].diagnostic.what
    assert helpers.lines(result.findings[0]) == [3, 4], "cut in line 3, loaded in line 4"


def test_last_rows_are_inside(tiny, helpers) -> None:
    vector = LOAD.format(rows=16, row=48, column=32)
    tensors = [helpers.tensor("A", "float32", 64, 64)]
    assert tiny.run(tensors, [torch.ones(64, 64)], vector=vector).findings == ()


def test_declared_shape_larger_than_the_tensor(tiny, helpers) -> None:
    vector = LOAD.format(rows=16, row=48, column=0)
    tensors = [helpers.tensor("A", "float32", 32, 64)]
    result = tiny.run(tensors, [torch.ones(32, 64)], vector=vector)
    assert helpers.codes(result) == ["TL501"]
    assert "but there are 2,048" in result.findings[0].diagnostic.what


def test_store_behind_the_end_leaves_the_neighbours_alone(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(64xf32))
set V MTE3 0
wait V MTE3 0
%s = memref.reinterpret_cast %A to offset: [32], sizes: [64], strides: [1] : GM(?xf32) to \
GM(64xf32, strided<[1], offset: 32>)
hivm.hir.store ins(%u : UB(64xf32)) outs(%s : GM(64xf32, strided<[1], offset: 32>))"""
    whole = torch.zeros(128)
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [whole[:64]], vector=vector, out_idx=(0,))
    assert helpers.codes(result) == ["TL501"], "and nothing about the unwritten output"
    assert torch.equal(whole, torch.zeros(128))


def test_tile_on_chip_larger_than_its_buffer(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(32xf32)
%s = memref.subview %u[0] [%i64] [1] : UB(32xf32) to UB(?xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%s : UB(?xf32))"""
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [torch.ones(64)], vector=vector)
    assert helpers.codes(result) == ["TL501"]
    assert "load writes u in UB outside" in result.findings[0].diagnostic.what


def test_bounds_are_checked_when_checks_are_off(tiny, helpers) -> None:
    vector = LOAD.format(rows=16, row=56, column=0)
    tensors = [helpers.tensor("A", "float32", 64, 64)]
    result = tiny.run(tensors, [torch.ones(64, 64)], vector=vector, checks="off")
    assert helpers.codes(result) == ["TL501"]


def _on_device(
    tiny, helpers, monkeypatch: pytest.MonkeyPatch, row: int, column: int = 0, rows: int = 16
):
    """Loads rows of a 64 x 64 tensor, behind which the device keeps 2 rows more."""
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    vector = LOAD.format(rows=rows, row=row, column=column)
    tensors = [helpers.tensor("A", "float32", 64, 64)]
    result = tiny.run(tensors, [torch.ones(64, 64)], vector=vector)
    return [(f.diagnostic.code, f.diagnostic.severity) for f in result.findings], result.findings


@pytest.mark.parametrize(
    ("row", "column", "rows", "expected"),
    [
        pytest.param(51, 0, 16, [("TL501", "error")], id="three rows"),
        pytest.param(50, 0, 16, [("TL508", "warning")], id="two rows"),
        pytest.param(47, 48, 16, [("TL508", "warning")], id="columns, inside the tensor"),
        pytest.param(48, 32, 16, [], id="inside"),
    ],
)
def test_beside_a_tensor_is_memory_of_the_device(
    tiny,
    helpers,
    monkeypatch: pytest.MonkeyPatch,
    row: int,
    column: int,
    rows: int,
    expected: list[tuple[str, str]],
) -> None:
    kinds, _ = _on_device(tiny, helpers, monkeypatch, row, column, rows)
    assert kinds == expected


def test_the_words_are_those_of_the_functional_executor(
    tiny, helpers, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, (found,) = _on_device(tiny, helpers, monkeypatch, 49)
    assert found.diagnostic.why == BESIDE_WHY
    assert "load reads A outside its bounds in block 0" in found.diagnostic.what


STORE = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
set MTE2 MTE3 0
wait MTE2 MTE3 0
%s = memref.reinterpret_cast %B to offset: [{first}], sizes: [{count}], strides: [1] : GM(?xf32) \
to GM({count}xf32, strided<[1], offset: {first}>)
%v = memref.subview %u[0] [{count}] [1] : UB(64xf32) to UB({count}xf32, strided<[1]>)
hivm.hir.store ins(%v : UB({count}xf32, strided<[1]>)) outs(%s : GM({count}xf32, strided<[1], \
offset: {first}>))"""


@pytest.mark.parametrize(
    ("first", "count", "code"),
    [
        pytest.param(32, 64, "TL508", id="a few"),
        pytest.param(64, 1, "TL501", id="a single element"),
        pytest.param(96, 64, "TL501", id="more than the block holds"),
    ],
)
def test_what_a_store_leaves_beside_a_tensor_is_lost(
    tiny, helpers, monkeypatch: pytest.MonkeyPatch, first: int, count: int, code: str
) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    a, b = torch.ones(64), torch.zeros(64)
    tensors = [helpers.tensor("A", "float32", 64), helpers.tensor("B", "float32", 64)]
    result = tiny.run(tensors, [a, b], vector=STORE.format(first=first, count=count))
    assert helpers.codes(result) == [code]
    assert b.tolist() == [0.0] * min(first, 64) + [1.0] * max(64 - first, 0)


def test_outputs_end_with_the_tensor(tiny, helpers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    tensors = [helpers.tensor("A", "float32", 64), helpers.tensor("B", "float32", 64)]
    text = STORE.format(first=0, count=64)
    result = tiny.run(tensors, [torch.ones(64), torch.zeros(64)], vector=text, out_idx=(1,))
    assert result.findings == ()


INSIDE_A_SLOT = """%u = hivm.hir.pointer_cast(%c0) : UB(128xf32)
%t = memref.subview %u[START] [64] [1] : UB(128xf32) to UB(64xf32, strided<[1], offset: START>)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%t : UB(64xf32, strided<[1], offset: START>))
set MTE2 MTE3 0
wait MTE2 MTE3 0
hivm.hir.store ins(%t : UB(64xf32, strided<[1], offset: START>)) outs(%B1 : GM(64xf32))"""


@pytest.mark.parametrize(
    ("start", "codes"), [("3", ["TL533", "TL533"]), ("8", []), ("12", ["TL533", "TL533"])]
)
def test_transfers_of_expert_mode_start_at_a_slot(
    tiny, helpers, start: str, codes: list[str]
) -> None:
    """Both sides are told, each at its own line; the numbers are right."""
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    a, b = torch.arange(64.0), torch.zeros(64)
    result = tiny.run(tensors, [a, b], vector=INSIDE_A_SLOT.replace("START", start))
    assert helpers.codes(result) == codes
    assert torch.equal(a, b)


def test_in_developer_mode_the_compiler_looks_after_slots(tiny, helpers) -> None:
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    program = tiny.program(tensors, vector=INSIDE_A_SLOT.replace("START", "3"))
    program = replace(program, signature=replace(program.signature, mode="Developer"))
    assert run(program, [torch.ones(64), torch.zeros(64)], symbols={}).findings == ()
