"""The call behind an op, found again in the text."""

from __future__ import annotations

import ast

import pytest

from tests.lint.test_report import read
from tlcourse.dialects import tl
from tlcourse.lint.statement import Statement, statements

TEXT = """
@T.prim_func
def k(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        é = T.alloc_ub((64,), "float32"); T.npuir_exp(B=é, A=é)
        for i in T.serial(4):
            T.copy(A, é)
"""


def found(kind: type[object]) -> Statement:
    kernel = read(TEXT)
    return next(
        one for one in statements(kernel.module, kernel.sources) if isinstance(one.op, kind)
    )


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [(tl.KernelOp, "Kernel", 4), (tl.ForOp, "serial", 6), (tl.ElementwiseOp, "exp", 5)],
)
def test_op_finds_its_call(kind: type[object], name: str, line: int) -> None:
    statement = found(kind)
    assert statement.name == name
    assert statement.span is not None
    assert statement.span.line == line


def test_span_is_the_call_in_characters() -> None:
    span = found(tl.ElementwiseOp).span
    assert span is not None
    assert TEXT.splitlines()[4][span.column - 1 : span.end_column - 1] == "T.npuir_exp(B=é, A=é)"


def test_argument_is_found_by_name_and_by_place() -> None:
    copy, exponential = found(tl.CopyOp), found(tl.ElementwiseOp)
    assert isinstance(copy.argument("dst", 1), ast.Name)
    assert isinstance(exponential.argument("A", 0), ast.Name)
    assert copy.argument("size", 3) is None
    assert copy.argument("src") is None
