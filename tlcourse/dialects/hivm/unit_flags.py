"""Text of unit flags, by which mmadL1 and fixpipe of one tile hand over piece by piece."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, i1
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from tlcourse.dialects.hivm.assembly import Clause, HivmTextOp, Parts
from tlcourse.dialects.hivm.attrs import UnitFlagAttr

_MODE, _CONDITION = "unit_flag_mode", "unit_flag_cond"
# How the last passes spell it, for older releases of hivmc.
_OLD_MODE = "unit_flag"


class UnitFlags(Clause):
    """`unit_flag_mode([#hivm.unit_flag<..>]) unit_flag_cond(%a, %b)`; either may be absent."""

    @property
    def covers(self) -> tuple[str, ...]:
        return (_MODE,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        mode = op.properties.get(_MODE)
        if mode is not None:
            printer.print_string(f" {_MODE}(")
            printer.print_attribute(mode)
            printer.print_string(")")
        conditions = op.values(_CONDITION)
        if conditions:
            printer.print_string(f" {_CONDITION}(")
            printer.print_list(conditions, printer.print_ssa_value)
            printer.print_string(")")

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(_MODE) is not None:
            parser.parse_punctuation("(")
            parts.properties[_MODE] = _flags(parser)
            parser.parse_punctuation(")")
        if parser.parse_optional_keyword(_OLD_MODE) is not None:
            parser.parse_punctuation("[")
            parts.properties[_MODE] = _flags(parser)
            parser.parse_punctuation("]")
        if parser.parse_optional_keyword(_CONDITION) is not None:
            unresolved = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            parts.operands[_CONDITION] = [parser.resolve_operand(one, i1) for one in unresolved]


def _flags(parser: Parser) -> Attribute:
    flags = parser.parse_attribute()
    words = cast("ArrayAttr[Attribute]", flags).data if isinstance(flags, ArrayAttr) else (flags,)
    if not all(isinstance(word, UnitFlagAttr) for word in words):
        parser.raise_error("unit_flag_mode is an array of #hivm.unit_flag<..>")
    return cast(Attribute, flags)
