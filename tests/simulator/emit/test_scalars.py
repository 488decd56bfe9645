"""Scalar ops of MLIR as Python expressions, each against a figure worked by hand."""

from __future__ import annotations

import pytest
from xdsl.dialects import func

from tlcourse.dialects.text import from_text
from tlcourse.simulator import scalars as values
from tlcourse.simulator.emit import scalars
from tlcourse.simulator.emit.code import Code, SiteTable, SpanTable
from tlcourse.simulator.emit.emitter import Emitter


def _evaluate(lines: str) -> object:
    """The value of the last op of a function body."""
    module = from_text(f"module {{ func.func @f() {{\n{lines}\nreturn\n}} }}")
    emitter = Emitter(code=Code(), sites=SiteTable(), spans=SpanTable(), sources={}, names={})
    function = next(op for op in module.body.block.ops if isinstance(op, func.FuncOp))
    *ops, _ = function.body.block.ops
    for op in ops:
        assert scalars.emit(emitter, op), op.name
    names: dict[str, object] = {"scalars": values}
    exec("\n".join(line.strip() for line in emitter.code.lines), names)
    return eval(emitter.text(ops[-1].results[0]), names)


@pytest.mark.parametrize(
    ("op", "left", "right", "kind", "wanted"),
    [
        ("addi", 2**31 - 1, 1, "i32", -(2**31)),
        ("subi", 3, 5, "index", -2),
        ("muli", 65536, 65536, "i32", 0),
        ("muli", 65536, 65536, "i64", 2**32),
        ("divsi", -7, 2, "i32", -3),
        ("remsi", -7, 2, "i32", -1),
        ("floordivsi", -7, 2, "i32", -4),
        ("ceildivsi", 7, 2, "i32", 4),
        ("minsi", -3, 2, "i32", -3),
        ("maxsi", -3, 2, "i32", 2),
        ("divui", -1, 2, "i32", 2**31 - 1),
        ("minui", -1, 2, "i32", 2),
        ("andi", 6, 3, "i32", 2),
        ("xori", 1, 1, "i1", 0),
        ("shli", 1, 31, "i32", -(2**31)),
        ("shrsi", -8, 1, "i32", -4),
        ("shrui", -8, 28, "i32", 15),
    ],
)
def test_integers(op: str, left: int, right: int, kind: str, wanted: int) -> None:
    assert (
        _evaluate(
            f"%a = arith.constant {left} : {kind}\n%b = arith.constant {right} : {kind}\n"
            f"%c = arith.{op} %a, %b : {kind}"
        )
        == wanted
    )


@pytest.mark.parametrize(
    ("predicate", "wanted"),
    [("eq", False), ("ne", True), ("slt", True), ("sge", False), ("ult", False), ("uge", True)],
)
def test_integer_comparison(predicate: str, wanted: bool) -> None:
    lines = "%a = arith.constant -1 : i32\n%b = arith.constant 1 : i32\n"
    assert _evaluate(lines + f"%c = arith.cmpi {predicate}, %a, %b : i32") is wanted


@pytest.mark.parametrize(
    ("predicate", "wanted"),
    [("olt", False), ("ogt", False), ("une", True), ("uno", True), ("ult", True), ("ord", False)],
)
def test_comparison_with_nan(predicate: str, wanted: bool) -> None:
    lines = "%a = arith.constant 0x7FC00000 : f32\n%b = arith.constant 1.0 : f32\n"
    assert bool(_evaluate(lines + f"%c = arith.cmpf {predicate}, %a, %b : f32")) is wanted


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("%a = arith.constant 300 : i32\n%b = arith.trunci %a : i32 to i8", 44),
        ("%a = arith.constant 3 : i32\n%b = arith.trunci %a : i32 to i1", 1),
        ("%a = arith.constant true\n%b = arith.extui %a : i1 to i64", 1),
        ("%a = arith.constant true\n%b = arith.extsi %a : i1 to i64", -1),
        ("%a = arith.constant -1 : i8\n%b = arith.extui %a : i8 to i32", 255),
        ("%a = arith.constant 5 : index\n%b = arith.index_cast %a : index to i1", 1),
        ("%a = arith.constant 5 : i32\n%b = arith.index_cast %a : i32 to index", 5),
        ("%a = arith.constant 2.9 : f32\n%b = arith.fptosi %a : f32 to i32", 2),
        ("%a = arith.constant -1 : i32\n%b = arith.uitofp %a : i32 to f64", 2**32 - 1),
        ("%a = arith.constant 2049.0 : f32\n%b = arith.truncf %a : f32 to f16", 2048.0),
    ],
)
def test_conversions(lines: str, wanted: float) -> None:
    assert _evaluate(lines) == wanted


def test_float_arithmetic_rounds_once() -> None:
    lines = "%a = arith.constant 1.0 : f16\n%b = arith.constant 3.0 : f16\n"
    assert _evaluate(lines + "%c = arith.divf %a, %b : f16") == 0.333251953125


def test_select() -> None:
    lines = "%a = arith.constant 1 : i32\n%b = arith.constant 2 : i32\n%t = arith.constant false\n"
    assert _evaluate(lines + "%c = arith.select %t, %a, %b : i32") == 2
