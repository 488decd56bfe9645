"""More T functions on scalars: T.abs, T.sigmoid, T.clamp, T.reinterpret, T.any_of, T.all_of."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from xdsl.dialects import arith, math

from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.builder import builder
from tlcourse.language.calls import expression
from tlcourse.language.dtype_rules import check_dtype, is_float, is_unsigned
from tlcourse.language.host import entries
from tlcourse.language.scalar import Expr, Operand, to_expr
from tlcourse.language.scalar import cast as cast_expr
from tlcourse.language.scalar_functions import check_scalar, condition, extreme


@expression
def abs(x: object) -> Expr:
    """|x| of a scalar, in its dtype.

    Raises:
        TL120: the value is no scalar.
    """
    scalar = check_scalar(x, "x")
    if is_unsigned(scalar.dtype):
        return scalar
    op = math.AbsFOp if is_float(scalar.dtype) else math.AbsIOp
    return Expr(builder().emit(op(scalar.value)).result, scalar.dtype)


@expression
def sigmoid(x: object) -> object:
    """1 / (1 + e ** -x) of a scalar; integers are converted to float32 first.

    Raises:
        TL120: the value is no scalar.
    """
    scalar = check_scalar(x, "x")
    wanted = scalar.dtype if is_float(scalar.dtype) else "float32"
    minus = to_expr(0 - cast_expr(scalar, wanted))
    power = Expr(builder().emit(math.ExpOp(minus.value)).result, wanted)
    return 1.0 / to_expr(1.0 + power)


@expression
def clamp(x: object, min_val: object, max_val: object) -> object:
    """A scalar cut to a range: min(max(x, min_val), max_val).

    Raises:
        TL120: an argument is no scalar.
    """
    return extreme("min", extreme("max", x, min_val), max_val)


@expression
def reinterpret(dtype: object, value: object) -> Expr:
    """The bits of a scalar, read as another dtype of the same width.

    Args:
        dtype: what the bits are read as.
        value: the scalar.

    Raises:
        TL116: there is no such dtype.
        TL120: the value is no scalar.
        TL124: the widths differ.
    """
    scalar, target = check_scalar(value, "value"), check_dtype(dtype)
    if DTYPES[scalar.dtype].bits != DTYPES[target].bits:
        raise builder().fail(
            "TL124",
            f"T.reinterpret reads {scalar.dtype} as {target}",
            why=f"the bits stay as they are, so both need one width: {DTYPES[scalar.dtype].bits} "
            f"and {DTYPES[target].bits} bits are given",
            fix="convert with T.cast, or name a dtype of the same width",
            at={"dtype": target, "value": scalar.dtype},
        )
    kind = DTYPES[target].mlir
    if scalar.value.type == kind:
        return Expr(scalar.value, target)
    return Expr(builder().emit(arith.BitcastOp(scalar.value, kind)).result, target)


@expression
def any_of(*conditions: object) -> object:
    """Whether one of several conditions holds.

    Raises:
        TL125: one of them is no condition.
    """
    return _joined(conditions, arith.OrIOp, neutral=False)


@expression
def all_of(*conditions: object) -> object:
    """Whether all of several conditions hold.

    Raises:
        TL125: one of them is no condition.
    """
    return _joined(conditions, arith.AndIOp, neutral=True)


def _joined(
    conditions: Sequence[object], op: type[arith.OrIOp] | type[arith.AndIOp], *, neutral: bool
) -> object:
    values = [entry for given in conditions for entry in entries(given)]
    known = [bool(value) for value in values if not isinstance(value, Operand)]
    if any(value is not neutral for value in known):
        return not neutral
    found = [condition(value) for value in values if isinstance(value, Operand)]
    if not found:
        return neutral
    return functools.reduce(
        lambda a, b: Expr(builder().emit(op(a.value, b.value)).result, "bool"), found
    )
