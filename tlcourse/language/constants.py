"""Dtypes as objects and typed constants: `T.float16`, `T.float32(1e-4)`, `T.infinity`."""

from __future__ import annotations

from dataclasses import dataclass

from tlcourse.diagnostics import error
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.builder import active, builder
from tlcourse.language.dtype_rules import is_float
from tlcourse.language.names import near_name
from tlcourse.language.scalar import Expr, Number, Operand, cast, is_operand, to_expr


@dataclass(frozen=True, eq=False)
class Constant(Operand):
    """A number with a dtype."""

    number: Number
    dtype: str

    __hash__ = object.__hash__

    def __neg__(self) -> Constant:
        return Constant(-self.number, self.dtype)

    def __repr__(self) -> str:
        return f"T.{self.dtype}({self.number})"

    def expr(self) -> Expr:
        """The number as a scalar of the kernel."""
        return Expr(builder().constant(self.number, self.dtype), self.dtype, known=self.number)


class DType(str):
    """A dtype: usable as its name, as an annotation and as a constructor `T.float32(1e-4)`."""

    def __call__(self, value: object = None) -> object:
        """A constant of this dtype, a scalar converted to it, or, without a value, the dtype.

        Raises:
            TL120: the value is no number.
        """
        if value is None:
            return self
        if isinstance(value, str) and value.lstrip("+-") in ("inf", "nan") and is_float(self):
            return Constant(float(value), str(self))
        if isinstance(value, (int, float)):
            return Constant(value if is_float(self) else int(value), str(self))
        if is_operand(value):
            return cast(to_expr(value), str(self))
        raise error(
            "TL120",
            f"T.{self} cannot convert {value!r}",
            why="it makes a constant of a number, or converts a scalar",
            fix=f"write T.{self}(0.5), or T.vcast for a tile",
            sources=build.sources if (build := active()) else None,
        )


dtypes: dict[str, DType] = {name: DType(name) for name in DTYPES}


def infinity(dtype: str) -> Constant:
    """+infinity of a floating point dtype; `-T.infinity("float32")` starts a maximum.

    Raises:
        TL116: the dtype does not exist, or has no infinity.
    """
    if dtype in DTYPES and is_float(dtype):
        return Constant(float("inf"), str(dtype))
    what = f"there is no infinity of dtype {dtype}"
    why = "float16, bfloat16, float32 and float64 have one"
    fix = f"{near_name(str(dtype), DTYPES)}write T.infinity('float32')"
    build = active()
    if build is None:
        raise error("TL116", what, why=why, fix=fix)
    raise build.fail("TL116", what, why=why, fix=fix)
