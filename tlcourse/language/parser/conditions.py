"""Conditions: `and`, `or`, `not`, `a if c else b`; decided now or when the kernel runs."""

from __future__ import annotations

import ast

from xdsl.dialects import arith

from tlcourse.language.builder import builder
from tlcourse.language.parser.tracer import Tracer
from tlcourse.language.scalar import Expr, Operand
from tlcourse.language.scalar_functions import condition, select


def bool_op(left: object, right: object, *, is_and: bool) -> object:
    """`left and right` or `left or right`; Python's own on Python values.

    Raises:
        TL125: a side is a scalar that is no bool.
    """
    if not isinstance(left, Operand) and not isinstance(right, Operand):
        return (left and right) if is_and else (left or right)
    if not isinstance(right, Operand) and bool(right) == is_and:
        return condition(left)
    if not isinstance(left, Operand) and bool(left) == is_and:
        return condition(right)
    a, b = condition(_as_bool(left)), condition(_as_bool(right))
    op = arith.AndIOp(a.value, b.value) if is_and else arith.OrIOp(a.value, b.value)
    return Expr(builder().emit(op).result, "bool")


def invert(value: object) -> object:
    """`not value`.

    Raises:
        TL125: the value is a scalar that is no bool.
    """
    if not isinstance(value, Operand):
        return not value
    build = builder()
    flipped = arith.XOrIOp(condition(value).value, build.constant(1, "bool"))
    return Expr(build.emit(flipped).result, "bool")


def if_expression(tracer: Tracer, node: ast.expr) -> object:
    """`a if c else b`: one side where `c` is known, a choice at run time else."""
    assert isinstance(node, ast.IfExp)
    cond = tracer.evaluate(node.test)
    if not isinstance(cond, Operand):
        return tracer.evaluate(node.body if cond else node.orelse)
    chosen = condition(cond)
    return select(chosen, tracer.evaluate(node.body), tracer.evaluate(node.orelse))


def _as_bool(value: object) -> object:
    return value if isinstance(value, Operand) else bool(value)
