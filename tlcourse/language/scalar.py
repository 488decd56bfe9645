"""Scalars of a kernel: expressions over SSA values that read like Python numbers.

`Expr` is a value that is known when the kernel runs. Python's operators on it emit `arith`
ops; two Python numbers stay a Python number. Everything that can stand in such an expression
derives from `Operand`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tlcourse.diagnostics import error
from tlcourse.language.builder import active, builder
from tlcourse.language.dtype_rules import (
    check_dtype,
    convert,
    dtype_of_number,
    is_float,
    is_integer,
    is_unsigned,
    promote,
)
from tlcourse.language.operators import BINARY, COMPARE, Binary
from tlcourse.language.rounding import warn_of_floor, warn_of_rounding

Number = int | float


class Operand(ABC):
    """What can stand in a scalar expression of a kernel."""

    @abstractmethod
    def expr(self) -> Expr:
        """The operand as a scalar of the kernel."""

    def __add__(self, other: object) -> object:
        return binary("+", self, other)

    def __radd__(self, other: object) -> object:
        return binary("+", other, self)

    def __sub__(self, other: object) -> object:
        return binary("-", self, other)

    def __rsub__(self, other: object) -> object:
        return binary("-", other, self)

    def __mul__(self, other: object) -> object:
        return binary("*", self, other)

    def __rmul__(self, other: object) -> object:
        return binary("*", other, self)

    def __truediv__(self, other: object) -> object:
        return binary("/", self, other)

    def __rtruediv__(self, other: object) -> object:
        return binary("/", other, self)

    def __floordiv__(self, other: object) -> object:
        return binary("//", self, other)

    def __rfloordiv__(self, other: object) -> object:
        return binary("//", other, self)

    def __mod__(self, other: object) -> object:
        return binary("%", self, other)

    def __rmod__(self, other: object) -> object:
        return binary("%", other, self)

    def __and__(self, other: object) -> object:
        return binary("&", self, other)

    def __rand__(self, other: object) -> object:
        return binary("&", other, self)

    def __or__(self, other: object) -> object:
        return binary("|", self, other)

    def __ror__(self, other: object) -> object:
        return binary("|", other, self)

    def __xor__(self, other: object) -> object:
        return binary("^", self, other)

    def __rxor__(self, other: object) -> object:
        return binary("^", other, self)

    def __lshift__(self, other: object) -> object:
        return binary("<<", self, other)

    def __rlshift__(self, other: object) -> object:
        return binary("<<", other, self)

    def __rshift__(self, other: object) -> object:
        return binary(">>", self, other)

    def __rrshift__(self, other: object) -> object:
        return binary(">>", other, self)

    def __lt__(self, other: object) -> object:
        return compare("<", self, other)

    def __le__(self, other: object) -> object:
        return compare("<=", self, other)

    def __gt__(self, other: object) -> object:
        return compare(">", self, other)

    def __ge__(self, other: object) -> object:
        return compare(">=", self, other)

    def __eq__(self, other: object) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        return compare("==", self, other)

    def __ne__(self, other: object) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        return compare("!=", self, other)

    __hash__ = object.__hash__

    def __neg__(self) -> object:
        return binary("-", 0, self)

    def __pos__(self) -> object:
        return self

    def __invert__(self) -> object:
        scalar = self.expr()
        return binary("^", scalar, True if scalar.dtype == "bool" else -1)

    def astype(self, dtype: str) -> Expr:
        """The scalar in another dtype, as T.cast gives it."""
        return cast(self.expr(), check_dtype(dtype))

    def __bool__(self) -> bool:
        raise builder().fail(
            "TL125",
            "this value is not known before the kernel runs, so Python cannot branch on it",
            why="a plain Python function asked for its truth while the kernel was being read",
            fix="write the condition as `if` in the kernel itself, or use T.if_then_else",
        )


@dataclass(frozen=True, eq=False)
class Expr(Operand):
    """A scalar of the kernel.

    Args:
        value: its SSA value.
        dtype: its TileLang dtype.
        known: its number, where a name was bound to a Python number.
    """

    value: SSAValue
    dtype: str
    known: Number | None = None

    __hash__ = object.__hash__

    def expr(self) -> Expr:
        return self


def is_operand(value: object) -> bool:
    """Whether a value can stand in a scalar expression."""
    return isinstance(value, (Operand, int, float))


def to_expr(value: object, dtype: str | None = None) -> Expr:
    """A number or operand as a scalar, in `dtype` where one is given."""
    if isinstance(value, Operand):
        found = value.expr()
        return found if dtype is None else cast(found, dtype)
    assert isinstance(value, (int, float))
    wanted = dtype or _dtype_alone(value)
    return Expr(builder().constant(value, wanted), wanted, known=value)


def cast(value: Expr, dtype: str) -> Expr:
    """A scalar in another dtype."""
    if value.known is None:
        warn_of_rounding(value.dtype, dtype)
    known = int(value.known) if value.known is not None and is_integer(dtype) else value.known
    return Expr(convert(value.value, value.dtype, dtype), dtype, known=known)


def binary(symbol: str, left: object, right: object) -> object:
    """`left symbol right`, emitted."""
    if not (is_operand(left) and is_operand(right)):
        return NotImplemented
    _check_inside()
    a, b = _common(left, right)
    # The product of two conditions holds where both do.
    symbol = "&" if symbol == "*" and a.dtype == "bool" else symbol
    rule = BINARY[symbol]
    _check_dtype(symbol, rule, a.dtype)
    _check_divisor(symbol, right)
    if symbol in ("//", "%"):
        warn_of_floor(symbol, a.value, b.value, a.dtype)
    return Expr(rule.emit(a.value, b.value, a.dtype), a.dtype)


def compare(symbol: str, left: object, right: object) -> object:
    """`left symbol right`, a bool. Comparisons with NaN are false, `!=` is true."""
    if not (is_operand(left) and is_operand(right)):
        return NotImplemented
    _check_inside()
    a, b = _common(left, right)
    integer, unsigned, floating = COMPARE[symbol]
    if is_float(a.dtype):
        op = arith.CmpfOp(a.value, b.value, floating)
    else:
        op = arith.CmpiOp(a.value, b.value, unsigned if is_unsigned(a.dtype) else integer)
    return Expr(builder().emit(op).result, "bool")


def _check_inside() -> None:
    if active() is not None:
        return
    raise error(
        "TL108",
        "a scalar of the NPU stands in an expression outside a kernel",
        why="it gets its value when the kernel runs",
        fix="move the expression into the function decorated with @T.prim_func",
    )


def _common(left: object, right: object) -> tuple[Expr, Expr]:
    if isinstance(left, (int, float)):
        b = to_expr(right)
        wanted = promote(dtype_of_number(left, b.dtype), b.dtype)
        return to_expr(left, wanted), cast(b, wanted)
    a = to_expr(left)
    if isinstance(right, (int, float)):
        wanted = promote(a.dtype, dtype_of_number(right, a.dtype))
        return cast(a, wanted), to_expr(right, wanted)
    b = to_expr(right)
    wanted = promote(a.dtype, b.dtype)
    return cast(a, wanted), cast(b, wanted)


def _dtype_alone(value: Number) -> str:
    if isinstance(value, bool):
        return "bool"
    return "int32" if isinstance(value, int) else "float32"


def _check_dtype(symbol: str, rule: Binary, dtype: str) -> None:
    kind = "float" if is_float(dtype) else "bool" if dtype == "bool" else "int"
    if kind in rule.kinds:
        return
    raise builder().fail(
        "TL124", f"`{symbol}` does not work on {dtype}", why=rule.why, fix=rule.fix
    )


def _check_divisor(symbol: str, right: object) -> None:
    known = right.known if isinstance(right, Expr) else right
    if symbol not in ("/", "//", "%") or not isinstance(known, (int, float)) or known != 0:
        return
    raise builder().fail(
        "TL130",
        f"`{symbol}` divides by 0",
        why="the divisor is 0 whatever the kernel is called with",
        fix="check the number to the right of the operator",
    )
