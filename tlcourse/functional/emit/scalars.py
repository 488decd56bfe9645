"""Scalar ops as Python expressions: one row an op.

Integers are Python's and wrap where they enter a tensor. Sums, differences and products may
wrap as late as that; only a division or comparison of a number that left its range differs.
Floats are rounded to their dtype after every op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tlcourse.dialects import tl
from tlcourse.functional import numbers

_INTEGER: dict[type[Operation], str] = {
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.FloorDivSIOp: "{0} // {1}",
    arith.CeilDivSIOp: "-(-{0} // {1})",
    tl.FloorModOp: "{0} % {1}",
    arith.DivSIOp: "truncated_div({0}, {1})",
    arith.RemSIOp: "truncated_mod({0}, {1})",
    arith.MinSIOp: "min({0}, {1})",
    arith.MaxSIOp: "max({0}, {1})",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.ShLIOp: "{0} << {1}",
    arith.ShRSIOp: "{0} >> {1}",
    math.AbsIOp: "abs({0})",
}
_UNSIGNED: dict[type[Operation], str] = {
    arith.DivUIOp: "{0} // {1}",
    arith.RemUIOp: "{0} % {1}",
    arith.MinUIOp: "min({0}, {1})",
    arith.MaxUIOp: "max({0}, {1})",
    arith.ShRUIOp: "{0} >> {1}",
}
_FLOAT: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "divide({0}, {1})",
    arith.NegfOp: "-{0}",
    arith.MaximumfOp: "maximum({0}, {1})",
    arith.MinimumfOp: "minimum({0}, {1})",
    arith.ExtFOp: "{0}",
    arith.TruncFOp: "{0}",
    arith.SIToFPOp: "float({0})",
    math.ExpOp: "exp({0})",
    math.Exp2Op: "exp2({0})",
    math.LogOp: "log({0})",
    math.Log2Op: "log2({0})",
    math.SqrtOp: "sqrt({0})",
    math.RsqrtOp: "rsqrt({0})",
    math.AbsFOp: "abs({0})",
}
_SYMBOL = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF: dict[int, str] = {
    1: "{0} == {1}",
    2: "{0} > {1}",
    3: "{0} >= {1}",
    4: "{0} < {1}",
    5: "{0} <= {1}",
    # Ordered: false where one of the two is NaN.
    6: "{0} < {1} or {0} > {1}",
    13: "{0} != {1}",
}
_ROUND: dict[type[Attribute], tuple[str, Callable[[float], float]]] = {
    Float16Type: ("f16", numbers.f16),
    BFloat16Type: ("bf16", numbers.bf16),
    Float32Type: ("f32", numbers.f32),
}

# struct's letter for floats; integers, always signed here, have one per width.
_FLOAT_LETTER: dict[type[Attribute], str] = {
    Float16Type: "e",
    BFloat16Type: "bf16",
    Float32Type: "f",
    Float64Type: "d",
}
_INTEGER_LETTER = {8: "b", 16: "h", 32: "i", 64: "q"}


def expression(op: Operation, operands: Sequence[str]) -> str:
    """The Python expression of a scalar op over the texts of its operands."""
    kind = type(op)
    if kind in _INTEGER:
        return _INTEGER[kind].format(*operands)
    if kind in _UNSIGNED:
        bits = width(op.results[0].type)
        return _UNSIGNED[kind].format(*(f"unsigned({operand}, {bits})" for operand in operands))
    if kind in _FLOAT:
        return rounded(op.results[0].type, _FLOAT[kind].format(*operands))
    return _irregular(op, operands)


def constant(op: arith.ConstantOp) -> str:
    """The literal of a constant, rounded to its dtype."""
    value, kind = op.value, op.result.type
    if isinstance(value, IntegerAttr):
        number = value.value.data
        return str(bool(number)) if width(kind) == 1 else _bracketed(str(number))
    assert isinstance(value, FloatAttr), "a scalar constant is an integer or a float"
    number = value.value.data
    if type(kind) in _ROUND:
        number = _ROUND[type(kind)][1](number)
    return _bracketed(repr(number))


def rounded(kind: Attribute, text: str) -> str:
    """A float expression, rounded to its dtype."""
    return f"{_ROUND[type(kind)][0]}({text})" if type(kind) in _ROUND else text


def stored(kind: Attribute, text: str) -> str:
    """A scalar as it may enter a tensor of its dtype: integers wrap to their width."""
    if not isinstance(kind, IntegerType):
        return text
    bits = kind.bitwidth
    return f"bool({text})" if bits == 1 else f"wrap({text}, {bits})"


def width(kind: Attribute) -> int:
    """Bits of an integer type."""
    assert isinstance(kind, IntegerType)
    return kind.bitwidth


def _irregular(op: Operation, operands: Sequence[str]) -> str:
    match op:
        case arith.CmpiOp():
            return _compare_integers(op, operands)
        case arith.CmpfOp():
            return _CMPF[op.predicate.value.data].format(*operands)
        case arith.SelectOp():
            return "{1} if {0} else {2}".format(*operands)
        case arith.UIToFPOp():
            text = f"float(unsigned({operands[0]}, {width(op.operands[0].type)}))"
            return rounded(op.result.type, text)
        case arith.FPToSIOp():
            return f"to_int({operands[0]}, {width(op.result.type)})"
        case arith.FPToUIOp():
            return f"to_unsigned({operands[0]}, {width(op.result.type)})"
        case arith.TruncIOp():
            return stored(op.result.type, operands[0])
        case arith.ExtSIOp():
            bits = width(op.operands[0].type)
            return f"-int({operands[0]})" if bits == 1 else f"wrap({operands[0]}, {bits})"
        case arith.BitcastOp():
            return _bits(op.input.type, op.result.type, operands[0])
        case arith.ExtUIOp():
            return f"unsigned({operands[0]}, {width(op.operands[0].type)})"
        case _:
            raise AssertionError(f"Tile IR holds no scalar op {op.name}")


def _bits(source: Attribute, target: Attribute, text: str) -> str:
    """The bits of a number, read as another type of the same width."""
    number = stored(source, text)
    return f"bits({number}, {_letter(source)!r}, {_letter(target)!r})"


def _letter(kind: Attribute) -> str:
    return _FLOAT_LETTER.get(type(kind)) or _INTEGER_LETTER[width(kind)]


def _compare_integers(op: arith.CmpiOp, operands: Sequence[str]) -> str:
    predicate = _CMPI[op.predicate.value.data]
    left, right = operands
    if predicate.startswith("u"):
        bits = width(op.lhs.type)
        left, right = f"unsigned({left}, {bits})", f"unsigned({right}, {bits})"
    return f"{left} {_SYMBOL[predicate[-2:]]} {right}"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
