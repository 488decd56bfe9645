"""T functions on scalars: T.ceildiv, T.min, T.cast, T.if_then_else and kin.

The first ones work in a factory, too, on Python numbers and symbolic sizes.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import error
from tlcourse.language.buffers import describe
from tlcourse.language.builder import active, builder
from tlcourse.language.calls import expression, flexible
from tlcourse.language.dtype_rules import check_dtype, dtype_of_number, is_float, promote
from tlcourse.language.host import BINARY, COMPARE, Combine
from tlcourse.language.scalar import Expr, Operand, binary, is_operand, to_expr
from tlcourse.language.scalar import cast as cast_expr
from tlcourse.language.symbolic import Symbolic, call_text

Unary = Callable[[SSAValue], Operation]


@flexible
def ceildiv(lhs: object, rhs: object) -> object:
    """How many tiles of `rhs` cover `lhs`: (lhs + rhs - 1) // rhs.

    Raises:
        TL120: an argument is no number.
        TL130: rhs is 0.
    """
    if isinstance(rhs, int):
        total = _apply(BINARY["Add"], lhs, rhs - 1)
    else:
        total = _apply(BINARY["Sub"], _apply(BINARY["Add"], lhs, rhs), 1)
    return _divided(total, rhs)


@flexible
def floordiv(lhs: object, rhs: object) -> object:
    """Lhs // rhs, rounded down.

    Raises:
        TL120: an argument is no number.
        TL130: rhs is 0.
    """
    return _divided(lhs, rhs)


@flexible
def floormod(lhs: object, rhs: object) -> object:
    """Lhs % rhs, with the sign of rhs.

    Raises:
        TL120: an argument is no number.
        TL130: rhs is 0.
    """
    _check_not_zero(rhs)
    return _apply(BINARY["Mod"], lhs, rhs)


@flexible
def min(a: object, b: object) -> object:
    """The smaller of two scalars; NaN wins. The way to cut a tail: T.min(block, n - start).

    Raises:
        TL120: an argument is no number.
    """
    return extreme("min", a, b)


@flexible
def max(a: object, b: object) -> object:
    """The larger of two scalars; NaN wins.

    Raises:
        TL120: an argument is no number.
    """
    return extreme("max", a, b)


@expression
def cast(value: object, dtype: str) -> Expr:
    """A scalar in another dtype; floats turn to integers towards 0.

    In a T.Parallel loop that becomes vector operations floats are rounded to the nearest
    integer instead; there a warning tells of it.

    Raises:
        TL116: there is no such dtype.
        TL120: the value is no scalar.
    """
    return cast_expr(check_scalar(value, "value"), check_dtype(dtype))


@expression
def Cast(dtype: str, value: object) -> Expr:
    """A scalar in another dtype: T.cast with its arguments the other way round.

    Raises:
        TL116: there is no such dtype.
        TL120: the value is no scalar.
    """
    return cast_expr(check_scalar(value, "value"), check_dtype(dtype))


@expression
def if_then_else(cond: object, true_value: object, false_value: object) -> Expr:
    """`true_value` where `cond` holds, else `false_value`. Both values are computed.

    Raises:
        TL120: a value is no scalar.
        TL125: `cond` is no condition.
    """
    return select(condition(cond, "cond"), true_value, false_value)


Select = if_then_else


def select(cond: Expr, true_value: object, false_value: object) -> Expr:
    """A choice between two scalars, in the dtype that holds both."""
    dtype = _common_dtype(true_value, false_value)
    a, b = to_expr(true_value, dtype), to_expr(false_value, dtype)
    op = builder().emit(arith.SelectOp(cond.value, a.value, b.value))
    return Expr(op.result, dtype)


def condition(value: object, parameter: str = "") -> Expr:
    """A learner's value as a condition.

    Raises:
        TL125: it is no bool.
    """
    if isinstance(value, bool):
        return to_expr(value)
    if isinstance(value, Operand) and (found := value.expr()).dtype == "bool":
        return found
    raise builder().fail(
        "TL125",
        f"the condition is {describe(value)}",
        why="a condition is a comparison or a bool",
        fix="compare with something, for example `x != 0`",
        at={parameter: ""} if parameter else None,
    )


def _math(name: str, op: Unary, text: str) -> Callable[[object], Expr]:
    def function(x: object) -> Expr:
        scalar = check_scalar(x, "x")
        wanted = scalar.dtype if is_float(scalar.dtype) else "float32"
        value = cast_expr(scalar, wanted).value
        return Expr(builder().emit(op(value)).results[0], wanted)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} of a scalar; integers are converted to float32 first."
    return expression(function)


exp = _math("exp", math.ExpOp, "e ** x")
exp2 = _math("exp2", math.Exp2Op, "2 ** x")
log = _math("log", math.LogOp, "The natural logarithm")
log2 = _math("log2", math.Log2Op, "The logarithm to base 2")
sqrt = _math("sqrt", math.SqrtOp, "The square root")
rsqrt = _math("rsqrt", math.RsqrtOp, "1 / the square root")


def check_scalar(value: object, parameter: str) -> Expr:
    """A learner's value as a scalar.

    Raises:
        TL120: it is a tile or something else.
    """
    if is_operand(value):
        return to_expr(value)
    raise builder().fail(
        "TL120",
        f"`{parameter}` is {describe(value)}, not a scalar",
        why="the function works on one number",
        fix="pick an element, A[i, j], or use the tile operation T.v* on whole tiles",
        at={parameter: describe(value)},
    )


def _divided(lhs: object, rhs: object) -> object:
    _check_not_zero(rhs)
    return _apply(BINARY["FloorDiv"], lhs, rhs)


def _apply(function: Combine, a: object, b: object) -> object:
    for value in (a, b):
        if not is_operand(value):
            raise _no_number(value)
    return function(a, b)


def extreme(name: str, a: object, b: object) -> object:
    """The smaller (`min`) or larger (`max`) of two numbers, scalars or symbolic sizes.

    Raises:
        TL120: one is no number.
    """
    for value in (a, b):
        if not is_operand(value):
            raise _no_number(value)
    if isinstance(a, Operand) or isinstance(b, Operand):
        if active() is None and (isinstance(a, Symbolic) or isinstance(b, Symbolic)):
            return call_text(name, a, b)
        return binary(name, a, b)
    smaller = bool(_apply(COMPARE["LtE"], a, b))
    return a if smaller == (name == "min") else b


def _check_not_zero(value: object) -> None:
    if not isinstance(value, int) or value != 0:
        return
    what, why = "the divisor is 0", "a tile size of 0 covers nothing"
    fix = "check how the tile size is computed"
    build = active()
    if build is None:
        raise error("TL130", what, why=why, fix=fix)
    raise build.fail("TL130", what, why=why, fix=fix, at={"rhs": "0"})


def _no_number(value: object) -> Exception:
    what, why = f"{describe(value)} is not a number", "the function counts with numbers"
    fix = "pass integers, scalars or symbolic sizes"
    build = active()
    if build is None:
        return error("TL120", what, why=why, fix=fix)
    return build.fail("TL120", what, why=why, fix=fix)


def _common_dtype(a: object, b: object) -> str:
    if isinstance(a, (int, float)):
        return _beside(b, a)
    if isinstance(b, (int, float)):
        return _beside(a, b)
    return promote(check_scalar(a, "true_value").dtype, check_scalar(b, "false_value").dtype)


def _beside(value: object, number: int | float) -> str:
    if isinstance(value, (int, float)):
        return "float32" if isinstance(value, float) or isinstance(number, float) else "int32"
    dtype = check_scalar(value, "value").dtype
    return promote(dtype, dtype_of_number(number, dtype))
