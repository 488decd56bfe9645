"""tosa-to-linalg: scalar twins, broadcasting, and what has no way down."""

from __future__ import annotations

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.pipeline.progressive import lower

T = "tensor<2x1x3xf32>"
WIDE = "tensor<2x4x3xf32>"
CLAMP = (
    "tosa.clamp %a {min_fp = -0.5 : f32, max_fp = 0.5 : f32, min_int = 0 : i64, max_int = 0 : i64}"
)
ONE = {
    "tosa.exp %a": torch.exp,
    "tosa.abs %a": torch.abs,
    "tosa.sin %a": torch.sin,
    "tosa.cos %a": torch.cos,
    "tosa.sigmoid %a": torch.sigmoid,
    "tosa.reciprocal %a": torch.reciprocal,
    CLAMP: lambda a: a.clamp(-0.5, 0.5),
}
TWO = {
    "tosa.add": torch.add,
    "tosa.sub": torch.sub,
    "tosa.mul": torch.mul,
    "tosa.maximum": torch.maximum,
    "tosa.minimum": torch.minimum,
}


def _numbers(*shape: int) -> torch.Tensor:
    made = torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))
    made.view(-1)[1] = float("nan")
    return made


@pytest.mark.parametrize("op", ONE)
def test_functions_of_one_tensor_keep_their_numbers_down_to_llvm(op: str) -> None:
    way = lower(
        f"func.func @f(%a: {T}) -> {T} {{\n  %r = {op} : ({T}) -> {T}\n  return %r : {T}\n}}"
    )
    a = _numbers(2, 1, 3)
    assert "tosa." not in way.after("tosa-to-linalg")
    for after in ("tosa-to-linalg", "convert-to-llvm"):
        torch.testing.assert_close(way.run(a, after=after)[0], ONE[op](a), equal_nan=True)


@pytest.mark.parametrize("op", TWO)
def test_functions_of_two_tensors_broadcast(op: str) -> None:
    way = lower(
        f"func.func @f(%a: {WIDE}, %b: {T}) -> {WIDE} {{\n"
        f"  %r = {op} %a, %b : ({WIDE}, {T}) -> {WIDE}\n  return %r : {WIDE}\n}}"
    )
    a, b = _numbers(2, 4, 3), _numbers(2, 1, 3)
    for after in ("tosa-to-linalg", "convert-to-llvm"):
        torch.testing.assert_close(way.run(a, b, after=after)[0], TWO[op](a, b), equal_nan=True)


@pytest.mark.parametrize(
    ("op", "kind", "why"),
    [
        ("tosa.add %a, %a : (@, @) -> @", "tensor<4xi32>", "tensors of floats"),
        ("tosa.add %a, %a : (@, @) -> @", "tensor<?xf32>", "a number for each"),
        ('"tosa.concat"(%a) <{axis = 0 : i32}> : (@) -> @', "tensor<4xf32>", "of tosa it knows"),
        ("tosa.matmul %a, %a : (@, @) -> @", "tensor<?x4x4xf32>", "a number for each"),
    ],
)
def test_what_has_no_way_down_is_an_error_at_the_op(op: str, kind: str, why: str) -> None:
    body = op.replace("@", kind)
    text = f"func.func @f(%a: {kind}) -> {kind} {{\n  %r = {body}\n  return %r : {kind}\n}}"
    with pytest.raises(TLError, match=why) as caught:
        lower(text).after()
    assert caught.value.code == "TL360"
    assert "line 2" in str(caught.value)
