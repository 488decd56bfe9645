"""Text and meaning of the ops that sort, multiply up, or give a product in two halves."""

from __future__ import annotations

import pytest
import torch

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.sequences import VCumprodOp, VMulextendedOp, VSortOp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.simulator import numeric

A, N, H = "memref<4x6xf32>", "memref<4x6xi32>", "memref<4x6xi16>"
LINES = [
    f"hivm.hir.vcumprod ins(%a : {A}) outs(%b : {A}) cum_dims = [1] reverse = false",
    f"hivm.hir.vsort ins(%a : {A}) outs(%b, %i : {A}, {N}) descending = true sort_axis = 1",
    f"hivm.hir.vmulextended ins(%h, %h : {H}, {H}) outs(%l, %h : {H}, {H})",
]


def _text(line: str) -> str:
    return f"""module {{
  func.func @f(%a: {A}, %b: {A}, %i: {N}, %h: {H}, %l: {H}) {{
    {line}
    return
  }}
}}
"""


def _op(line: str) -> PipeOp:
    module = from_text(_text(line))
    module.verify()
    return next(op for op in module.walk() if isinstance(op, PipeOp))


def _run(op: PipeOp, *sources: torch.Tensor, outputs: tuple[torch.Tensor, ...]) -> None:
    names = [f"x{number}" for number in range(len(sources))]
    targets = dict(zip(("o", "o1"), outputs, strict=False))
    values = {"numeric": numeric, **dict(zip(names, sources, strict=True)), **targets}
    exec(op.meaning().format(*names, **{name: name for name in targets}), values)


@pytest.mark.parametrize("line", LINES)
def test_round_trip_keeps_the_line(line: str) -> None:
    text = to_text(from_text(_text(line)))
    assert line in text
    assert to_text(from_text(to_text(from_text(text), generic=True))) == text


@pytest.mark.parametrize("backwards", [False, True])
def test_products_so_far(backwards: bool) -> None:
    a = torch.arange(1.0, 25.0).reshape(4, 6) / 8
    out = torch.zeros(4, 6)
    op = _op(LINES[0].replace("false", str(backwards).lower()))
    assert isinstance(op, VCumprodOp)
    _run(op, a, outputs=(out,))
    expected = a.flip(1).cumprod(1).flip(1) if backwards else a.cumprod(1)
    torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("descending", [False, True])
def test_sorted_with_places(descending: bool) -> None:
    a = torch.tensor([[3.0, 1.0, 2.0, 6.0, 5.0, 4.0]]).repeat(4, 1)
    out, places = torch.zeros(4, 6), torch.zeros(4, 6, dtype=torch.int32)
    op = _op(LINES[1].replace("true", str(descending).lower()))
    assert isinstance(op, VSortOp)
    _run(op, a, outputs=(out, places))
    assert out[0].tolist() == sorted(a[0].tolist(), reverse=descending)
    assert torch.equal(a.gather(1, places.long()), out)


def test_halves_of_products() -> None:
    a = torch.tensor([[300, -300, 32767, -1, 0, 5]], dtype=torch.int16).repeat(4, 1)
    low, high = torch.zeros_like(a), torch.zeros_like(a)
    op = _op(LINES[2])
    assert isinstance(op, VMulextendedOp)
    assert op.pairs_elements()
    _run(op, a, a, outputs=(low, high))
    whole = (high.int() << 16) + (low.int() & 0xFFFF)
    assert torch.equal(whole, a.int() * a.int())


def test_built_in_python() -> None:
    arguments = _op(LINES[0]).parent_block().args
    a, b, places, halves, low = arguments
    built = [
        VCumprodOp(a, b, 1),
        VSortOp(a, [b, places], 1, descending=True),
        VMulextendedOp([halves, halves], [low, halves]),
    ]
    for op, line in zip(built, LINES, strict=True):
        assert type(op) is type(_op(line))
        assert op.properties == _op(line).properties
