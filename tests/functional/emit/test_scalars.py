"""Scalar ops as Python expressions."""

from __future__ import annotations

import math

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i32

from tlcourse.dialects.text import from_text
from tlcourse.functional import numbers
from tlcourse.functional.emit import scalars

# op in MLIR, over %a and %b of the named types: value for the given a and b.
CASES = [
    ("arith.addi %a, %b : i32", 7, -9, -2),
    ("arith.floordivsi %a, %b : i32", -7, 2, -4),
    ("arith.ceildivsi %a, %b : i32", -7, 2, -3),
    ("arith.divsi %a, %b : i32", -7, 2, -3),
    ("arith.remsi %a, %b : i32", -7, 2, -1),
    ("tl.floormod %a, %b", -7, 2, 1),
    ("arith.minsi %a, %b : i32", -7, 2, -7),
    ("arith.maxsi %a, %b : i32", -7, 2, 2),
    ("arith.andi %a, %b : i32", 12, 10, 8),
    ("arith.ori %a, %b : i32", 12, 10, 14),
    ("arith.xori %a, %b : i32", 12, 10, 6),
    ("arith.shli %a, %b : i32", 3, 4, 48),
    ("arith.shrsi %a, %b : i32", -16, 2, -4),
    ("arith.shrui %a, %b : i32", -16, 28, 15),
    ("arith.divui %a, %b : i32", -2, 2, 2**31 - 1),
    ("arith.remui %a, %b : i32", -1, 16, 15),
    ("arith.minui %a, %b : i32", -1, 2, 2),
    ("arith.maxui %a, %b : i32", -1, 2, 2**32 - 1),
    ("arith.cmpi slt, %a, %b : i32", -1, 2, True),
    ("arith.cmpi ult, %a, %b : i32", -1, 2, False),
    ("arith.cmpi ne, %a, %b : i32", 3, 3, False),
    ("arith.addf %a, %b : f32", 0.1, 0.2, numbers.f32(0.1 + 0.2)),
    ("arith.mulf %a, %b : f16", 300.0, 300.0, math.inf),
    ("arith.subf %a, %b : bf16", 1.0, 0.001, 1.0),
    ("arith.divf %a, %b : f32", -1.0, 0.0, -math.inf),
    ("arith.maximumf %a, %b : f32", 1.0, 2.0, 2.0),
    ("arith.minimumf %a, %b : f32", 1.0, 2.0, 1.0),
    ("arith.negf %a : f32", 1.5, 0.0, -1.5),
    ("arith.cmpf olt, %a, %b : f32", 1.0, math.nan, False),
    ("arith.cmpf one, %a, %b : f32", 1.0, math.nan, False),
    ("arith.cmpf une, %a, %b : f32", 1.0, math.nan, True),
    ("arith.cmpf oge, %a, %b : f32", 2.0, 2.0, True),
    ("arith.sitofp %a : i32 to f16", 2049, 0, 2048.0),
    ("arith.uitofp %a : i8 to f32", -1, 0, 255.0),
    ("arith.fptosi %a : f32 to i8", -2.7, 0.0, -2),
    ("arith.fptoui %a : f32 to i8", 200.9, 0.0, 200),
    ("arith.truncf %a : f32 to f16", 0.1, 0.0, numbers.f16(0.1)),
    ("arith.extf %a : f16 to f32", 0.5, 0.0, 0.5),
    ("arith.trunci %a : i32 to i8", 300, 0, 44),
    ("arith.extsi %a : i8 to i32", -3, 0, -3),
    ("arith.extui %a : i8 to i32", -1, 0, 255),
    ("arith.extui %a : i1 to i32", True, False, 1),
    ("math.sqrt %a : f32", 2.0, 0.0, numbers.f32(math.sqrt(2.0))),
]


def type_of(text: str) -> str:
    words = text.replace(",", " ").split()
    return words[words.index(":") + 1] if ":" in words else "i32"


@pytest.mark.parametrize(("text", "a", "b", "value"), CASES, ids=[case[0] for case in CASES])
def test_expression(text: str, a: float, b: float, value: float) -> None:
    kind = type_of(text)
    module = from_text(f"func.func @f(%a : {kind}, %b : {kind}) {{\n %r = {text}\n func.return\n}}")
    op = next(op for op in module.walk() if op.results and op.results[0].name_hint == "r")
    names = ["a", "b"][: len(op.operands)]
    found = eval(scalars.expression(op, names), {**vars(numbers), "a": a, "b": b})
    assert found == value
    assert type(found) is type(value)


def test_select() -> None:
    op = next(
        op
        for op in from_text(
            "func.func @f(%c : i1, %a : i32, %b : i32) {\n"
            " %r = arith.select %c, %a, %b : i32\n func.return\n}"
        ).walk()
        if isinstance(op, arith.SelectOp)
    )
    text = scalars.expression(op, ["c", "a", "b"])
    assert [eval(text, {"c": c, "a": 1, "b": 2}) for c in (True, False)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("3 : i32", "3"),
        ("-3 : i32", "(-3)"),
        ("true", "True"),
        ("false", "False"),
        ("0.1 : f16", "0.0999755859375"),
        ("-0.5 : f32", "(-0.5)"),
        ("0x7F800000 : f32", "inf"),
        ("0xFF800000 : f32", "(-inf)"),
        ("0x7FC00000 : f32", "nan"),
    ],
)
def test_constants(text: str, literal: str) -> None:
    module = from_text(f"func.func @f() {{\n %r = arith.constant {text}\n func.return\n}}")
    (op,) = (op for op in module.walk() if isinstance(op, arith.ConstantOp))
    assert scalars.constant(op) == literal


def test_integers_wrap_where_they_are_stored() -> None:
    assert eval(scalars.stored(i32, "x"), {**vars(numbers), "x": 2**31}) == -(2**31)
    assert scalars.stored(i1, "x") == "bool(x)"
