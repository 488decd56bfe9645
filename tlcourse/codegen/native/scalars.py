"""Scalar ops as C: integers are 64 bits wide, floats are rounded to their dtype."""

from __future__ import annotations

import math as numbers
from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tlcourse.codegen.native.views import NotNative
from tlcourse.dialects import tl

_FORMS: dict[type[Operation], str] = {
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.FloorDivSIOp: "floor_div({0}, {1})",
    arith.CeilDivSIOp: "-floor_div(-({0}), {1})",
    tl.FloorModOp: "floor_mod({0}, {1})",
    arith.DivSIOp: "{0} / {1}",
    arith.RemSIOp: "{0} % {1}",
    arith.MinSIOp: "least({0}, {1})",
    arith.MaxSIOp: "most({0}, {1})",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.NegfOp: "-{0}",
    arith.ExtFOp: "{0}",
    arith.TruncFOp: "{0}",
    arith.SIToFPOp: "{0}",
    arith.SelectOp: "{0} ? {1} : {2}",
    math.SqrtOp: "sqrt({0})",
    math.RsqrtOp: "1.0 / sqrt({0})",
    math.ExpOp: "exp({0})",
    math.AbsFOp: "fabs({0})",
}
_DIVIDES = (arith.FloorDivSIOp, arith.CeilDivSIOp, tl.FloorModOp, arith.DivSIOp, arith.RemSIOp)
_CMPI = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">="}
_CMPF = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}


def expression(op: Operation, operands: Sequence[str]) -> str:
    """The C expression of a scalar op.

    Raises:
        NotNative: there is no form for it.
    """
    match op:
        case arith.CmpiOp() if op.predicate.value.data in _CMPI:
            return f"{operands[0]} {_CMPI[op.predicate.value.data]} {operands[1]}"
        case arith.CmpfOp() if op.predicate.value.data in _CMPF:
            return f"{operands[0]} {_CMPF[op.predicate.value.data]} {operands[1]}"
        case _:
            form = _FORMS.get(type(op))
    if form is None:
        raise NotNative(op.name)
    return rounded(op.results[0].type, form.format(*operands))


def divisor(op: Operation) -> int | None:
    """The position of an operand that must not be 0."""
    return 1 if isinstance(op, _DIVIDES) else None


def constant(op: arith.ConstantOp) -> str:
    """A literal."""
    value = op.value
    if isinstance(value, IntegerAttr):
        number = value.value.data
        is_bool = isinstance(op.result.type, IntegerType) and op.result.type.bitwidth == 1
        return str(int(bool(number))) if is_bool else _bracketed(f"{number}")
    assert isinstance(value, FloatAttr), "a scalar constant is an integer or a float"
    number = value.value.data
    if numbers.isnan(number):
        return "NAN"
    if numbers.isinf(number):
        return "INFINITY" if number > 0 else "(-INFINITY)"
    return rounded(op.result.type, _bracketed(repr(number)))


def c_type(kind: Attribute) -> str:
    """The C type of a scalar."""
    if isinstance(kind, IntegerType):
        return "int64_t"
    return "double" if isinstance(kind, Float64Type) else "float"


def rounded(kind: Attribute, text: str) -> str:
    """A number in the precision of its dtype."""
    if isinstance(kind, Float16Type):
        return f"ld_f16(st_f16({text}))"
    if isinstance(kind, BFloat16Type):
        return f"ld_bf16(st_bf16({text}))"
    if isinstance(kind, (IntegerType, Float64Type)):
        return text
    return f"(float)({text})"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
