"""Clauses that only a few HIVM ops have: numbers, index lists in brackets, padding lengths."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from tlcourse.dialects.hivm.assembly import Clause, HivmTextOp, Parts


@dataclass(frozen=True)
class Number(Clause):
    """`keyword = 3` of an integer property; `keyword(3)` with `parentheses`."""

    prop: str
    keyword: str
    parentheses: bool = False

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        attribute = op.properties.get(self.prop)
        if not isinstance(attribute, IntegerAttr):
            return
        number = attribute.value.data
        form = "({})" if self.parentheses else " = {}"
        printer.print_string(f" {self.keyword}{form.format(number)}")

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is None:
            return
        parser.parse_punctuation("(" if self.parentheses else "=")
        parts.properties[self.prop] = IntegerAttr(parser.parse_integer(), i64)
        if self.parentheses:
            parser.parse_punctuation(")")


@dataclass(frozen=True)
class Present(Clause):
    """`keyword` of a unit property, nothing without it."""

    prop: str
    keyword: str

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        if self.prop in op.properties:
            printer.print_string(f" {self.keyword}")

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is not None:
            parts.properties[self.prop] = UnitAttr()


@dataclass(frozen=True)
class IndexValues(Clause):
    """`keyword[%a, %b]` of operands of type index; left out where there are none."""

    name: str
    keyword: str

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        values = op.values(self.name)
        if not values:
            return
        printer.print_string(f" {self.keyword}[")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string("]")

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is None:
            return
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        index = IndexType()
        parts.operands[self.name] = [parser.resolve_operand(value, index) for value in unresolved]


@dataclass(frozen=True)
class Lengths(Clause):
    """`keyword[8, %n]`: numbers of an array property, with operands where the array says `?`."""

    name: str
    prop: str
    keyword: str

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        array = op.properties[self.prop]
        assert isinstance(array, DenseArrayBase)
        values = iter(op.values(self.name))
        printer.print_string(f" {self.keyword}[")
        for position, number in enumerate(array.iter_values()):
            printer.print_string(", " if position else "")
            if number == DYNAMIC_INDEX:
                printer.print_ssa_value(next(values))
            else:
                printer.print_string(str(number))
        printer.print_string("]")

    def parse(self, parser: Parser, parts: Parts) -> None:
        parser.parse_keyword(self.keyword)
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: _number_or_index(parser)
        )
        numbers = [entry if isinstance(entry, int) else DYNAMIC_INDEX for entry in entries]
        parts.operands[self.name] = [entry for entry in entries if isinstance(entry, SSAValue)]
        parts.properties[self.prop] = DenseArrayBase.from_list(i64, numbers)


@dataclass(frozen=True)
class Typed(Clause):
    """`keyword %x : type` of one operand."""

    name: str
    keyword: str

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        (value,) = op.values(self.name)
        printer.print_string(f" {self.keyword} ")
        printer.print_ssa_value(value)
        printer.print_string(" : ")
        printer.print_attribute(value.type)

    def parse(self, parser: Parser, parts: Parts) -> None:
        parser.parse_keyword(self.keyword)
        unresolved = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        parts.operands[self.name] = [parser.resolve_operand(unresolved, parser.parse_type())]


def _number_or_index(parser: Parser) -> int | SSAValue:
    unresolved = parser.parse_optional_unresolved_operand()
    if unresolved is None:
        return parser.parse_integer()
    return parser.resolve_operand(unresolved, IndexType())
