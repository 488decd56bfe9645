"""The scope dialect: a region that later passes inline."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a `scope.scope`."""

    name = "scope.return"
    values = var_operand_def()
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    traits = traits_def(IsTerminator())


@irdl_op_definition
class ScopeOp(IRDLOperation):
    """A region with results, kept apart for one core."""

    name = "scope.scope"
    scope_results = var_result_def()
    no_inline = opt_prop_def(UnitAttr)
    region = region_def()

    def print(self, printer: Printer) -> None:
        printer.print_string(" : ")
        printer.print_function_type((), self.result_types)
        printer.print_string(" ")
        printer.print_region(self.region, print_entry_block_args=False)
        printer.print_op_attributes(self.properties | self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> ScopeOp:
        parser.parse_punctuation(":")
        kind = parser.parse_function_type()
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        if not isinstance(region.block.last_op, ReturnOp):
            region.block.add_op(ReturnOp.build(operands=[[]]))
        attributes = parser.parse_optional_attr_dict()
        no_inline = attributes.pop("no_inline", None)
        return cls.build(
            result_types=[list(kind.outputs.data)],
            regions=[region],
            properties={} if no_inline is None else {"no_inline": no_inline},
            attributes=attributes,
        )


Scope = Dialect("scope", [ScopeOp, ReturnOp], [])
