"""Random chains of elementwise ops: every pass from tosa to llvm keeps the numbers."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlcourse.pipeline.progressive import lower

SHAPES = [(3, 2), (1, 2), (3, 1)]
ONE = ("abs", "exp", "sin", "sigmoid")
TWO = ("add", "sub", "mul", "maximum", "minimum")


def _kind(shape: tuple[int, int]) -> str:
    return f"tensor<{shape[0]}x{shape[1]}xf32>"


@st.composite
def chains(draw: st.DrawFn) -> str:
    """A function of three tensors, two of which are broadcast, and one constant."""
    known = [("%a", SHAPES[0]), ("%b", SHAPES[1]), ("%c", SHAPES[2])]
    value = draw(st.sampled_from(["0.5", "-2.0"]))
    kind = _kind(SHAPES[0])
    lines = [f'  %k = "tosa.const"() <{{value = dense<{value}> : {kind}}}> : () -> {kind}']
    known.append(("%k", SHAPES[0]))
    for number in range(draw(st.integers(1, 5))):
        left, shape = draw(st.sampled_from(known))
        right, other = draw(st.sampled_from(known))
        made = (max(shape[0], other[0]), max(shape[1], other[1]))
        if draw(st.booleans()):
            op = draw(st.sampled_from(TWO))
            kinds = f"({_kind(shape)}, {_kind(other)}) -> {_kind(made)}"
            lines.append(f"  %v{number} = tosa.{op} {left}, {right} : {kinds}")
        else:
            made = shape
            op = draw(st.sampled_from(ONE))
            lines.append(f"  %v{number} = tosa.{op} {left} : ({_kind(shape)}) -> {_kind(made)}")
        known.append((f"%v{number}", made))
    last, shape = known[-1]
    arguments = ", ".join(f"%{name}: {_kind(s)}" for name, s in zip("abc", SHAPES, strict=True))
    head = f"func.func @chain({arguments}) -> {_kind(shape)} {{"
    return "\n".join([head, *lines, f"  return {last} : {_kind(shape)}", "}"])


@settings(max_examples=12, deadline=None)
@given(chains())
def test_every_pass_keeps_the_numbers(text: str) -> None:
    generator = torch.Generator().manual_seed(7)
    tensors = [torch.randn(shape, generator=generator) for shape in SHAPES]
    way = lower(text)
    wrong = [one for one in way.check(*tensors) if one.state == "differs"]
    assert not wrong, text
    assert "llvm.func @chain" in way.after()
