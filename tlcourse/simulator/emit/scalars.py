"""Scalar ops as Python expressions."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute, Operation

from tlcourse.simulator.emit.emitter import Emitter, bits_of

_ROUND: dict[Attribute, str] = {Float16Type(): "f16", BFloat16Type(): "bf16", Float32Type(): "f32"}

_INTEGER: dict[type[Operation], str] = {
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.DivSIOp: "scalars.div({0}, {1})",
    arith.RemSIOp: "scalars.rem({0}, {1})",
    arith.FloorDivSIOp: "{0} // {1}",
    arith.CeilDivSIOp: "scalars.ceil_div({0}, {1})",
    arith.MinSIOp: "min({0}, {1})",
    arith.MaxSIOp: "max({0}, {1})",
    arith.DivUIOp: "{u0} // {u1}",
    arith.CeilDivUIOp: "scalars.ceil_div({u0}, {u1})",
    arith.RemUIOp: "{u0} % {u1}",
    arith.MinUIOp: "min({u0}, {u1})",
    arith.MaxUIOp: "max({u0}, {u1})",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.ShLIOp: "{0} << {1}",
    arith.ShRSIOp: "{0} >> {1}",
    arith.ShRUIOp: "{u0} >> {1}",
}
_DIVISIONS = (
    arith.DivSIOp,
    arith.RemSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.DivUIOp,
    arith.CeilDivUIOp,
    arith.RemUIOp,
)
_FLOAT: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "scalars.divide({0}, {1})",
    arith.NegfOp: "-{0}",
    arith.MaximumfOp: "scalars.maximum({0}, {1})",
    arith.MinimumfOp: "scalars.minimum({0}, {1})",
    arith.MaxnumfOp: "max({0}, {1})",
    arith.MinnumfOp: "min({0}, {1})",
    arith.TruncFOp: "{0}",
    arith.ExtFOp: "{0}",
    arith.SIToFPOp: "float({0})",
}
# Predicates in MLIR's numbering.
_CMPI = (
    "{0} == {1}",
    "{0} != {1}",
    "{0} < {1}",
    "{0} <= {1}",
    "{0} > {1}",
    "{0} >= {1}",
    "{u0} < {u1}",
    "{u0} <= {u1}",
    "{u0} > {u1}",
    "{u0} >= {u1}",
)
_CMPF = (
    "False",
    "{0} == {1}",
    "{0} > {1}",
    "{0} >= {1}",
    "{0} < {1}",
    "{0} <= {1}",
    "({0} < {1} or {0} > {1})",
    "({0} == {0} and {1} == {1})",
    "not ({0} < {1} or {0} > {1})",
    "not {0} <= {1}",
    "not {0} < {1}",
    "not {0} >= {1}",
    "not {0} > {1}",
    "{0} != {1}",
    "({0} != {0} or {1} != {1})",
    "True",
)


def emit(e: Emitter, op: Operation) -> bool:
    """Writes a scalar op; False where the op is none."""
    if isinstance(op, arith.ConstantOp):
        e.values[op.result] = _constant(op)
        return True
    expression = _expression(e, op)
    if expression is None:
        return False
    e.let(op.results[0], expression)
    return True


def _constant(op: arith.ConstantOp) -> str:
    value = op.value
    if isinstance(value, IntegerAttr):
        number = value.value.data
        return str(number & 1 if value.type == i1 else number)
    assert isinstance(value, FloatAttr)
    text = repr(value.value.data)
    return f"float('{text}')" if text in ("inf", "-inf", "nan") else text


def _expression(e: Emitter, op: Operation) -> str | None:
    texts = [e.values.get(operand, "") for operand in op.operands]
    if isinstance(op, arith.SelectOp):
        return f"{texts[1]} if {texts[0]} else {texts[2]}"
    if isinstance(op, arith.CmpiOp):
        return _format(op, texts, _CMPI[op.predicate.value.data])
    if isinstance(op, arith.CmpfOp):
        return _format(op, texts, _CMPF[op.predicate.value.data])
    if isinstance(op, _DIVISIONS) and not texts[1].lstrip("-").isdigit():
        texts[1] = f"scalars.divisor({texts[1]}, {e.span(op)})"
    if type(op) in _INTEGER:
        return _wrapped(_format(op, texts, _INTEGER[type(op)]), op.results[0].type)
    if type(op) in _FLOAT:
        text, kind = _format(op, texts, _FLOAT[type(op)]), op.results[0].type
        return f"scalars.{_ROUND[kind]}({text})" if kind in _ROUND else text
    convert = _CONVERSIONS.get(type(op))
    if convert is None:
        return None
    return convert(texts[0], op.operands[0].type, op.results[0].type)


def _format(op: Operation, texts: list[str], template: str) -> str:
    kind = op.operands[0].type
    unsigned: dict[str, str] = {}
    if "{u" in template:
        bits = bits_of(kind)
        unsigned = {f"u{i}": f"scalars.unsigned({t}, {bits})" for i, t in enumerate(texts)}
    return template.format(*texts, **unsigned)


def _wrapped(text: str, kind: Attribute) -> str:
    """Integers of 32 bits and fewer wrap; wider ones hold every address there is."""
    if not isinstance(kind, IntegerType) or kind.width.data > 32:
        return text
    return f"({text}) & 1" if kind == i1 else f"scalars.wrap({text}, {kind.width.data})"


def _narrow(text: str, source: Attribute, target: Attribute) -> str:
    """To a type with fewer bits, or to index: the same low bits."""
    if isinstance(target, IndexType) or bits_of(target) >= bits_of(source) > 1:
        return text
    if target == i1:
        return f"{text} & 1"
    return f"-({text} & 1)" if source == i1 else f"scalars.wrap({text}, {bits_of(target)})"


def _extend_unsigned(text: str, source: Attribute, target: Attribute) -> str:
    return f"int({text})" if source == i1 else f"scalars.unsigned({text}, {bits_of(source)})"


def _extend_signed(text: str, source: Attribute, target: Attribute) -> str:
    return f"-int({text})" if source == i1 else text


def _to_int(text: str, source: Attribute, target: Attribute) -> str:
    return f"scalars.to_int({text}, {bits_of(target)})"


def _unsigned_to_float(text: str, source: Attribute, target: Attribute) -> str:
    value = f"float(scalars.unsigned({text}, {bits_of(source)}))"
    return f"scalars.{_ROUND[target]}({value})" if target in _ROUND else value


_CONVERSIONS: dict[type[Operation], Callable[[str, Attribute, Attribute], str]] = {
    arith.TruncIOp: _narrow,
    arith.IndexCastOp: _narrow,
    arith.ExtUIOp: _extend_unsigned,
    arith.ExtSIOp: _extend_signed,
    arith.FPToSIOp: _to_int,
    arith.UIToFPOp: _unsigned_to_float,
}
