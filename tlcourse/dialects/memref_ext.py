"""The memref_ext dialect: buffers in the workspace that the launcher allocates in GM."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


@irdl_op_definition
class AllocWorkspaceOp(IRDLOperation):
    """`memref_ext.alloc_workspace() from %ws offset = [%o] : from memref<?xi8> to memref<..>`."""

    name = "memref_ext.alloc_workspace"
    workspace_arg = opt_operand_def(MemRefType)
    dynamic_size = var_operand_def(IndexType)
    offset = var_operand_def(IndexType)
    result = result_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        kind: MemRefType,
        workspace: SSAValue | None = None,
        offset: Sequence[SSAValue] = (),
    ) -> None:
        base = [] if workspace is None else [workspace]
        super().__init__(operands=[base, [], offset], result_types=[kind])

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.dynamic_size, printer.print_ssa_value)
        printer.print_string(")")
        if self.workspace_arg is not None:
            printer.print_string(" from ")
            printer.print_ssa_value(self.workspace_arg)
        if self.offset:
            printer.print_string(" offset = [")
            printer.print_list(self.offset, printer.print_ssa_value)
            printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.workspace_arg is not None:
            printer.print_string("from ")
            printer.print_attribute(self.workspace_arg.type)
            printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> AllocWorkspaceOp:
        sizes = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        base = parser.parse_unresolved_operand() if parser.parse_optional_keyword("from") else None
        offsets = cls._parse_offsets(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        base_values: list[SSAValue] = []
        if base is not None:
            parser.parse_keyword("from")
            base_values = [parser.resolve_operand(base, parser.parse_type())]
            parser.parse_keyword("to")
        index = IndexType()
        return cls.build(
            operands=[
                base_values,
                [parser.resolve_operand(size, index) for size in sizes],
                offsets,
            ],
            result_types=[parser.parse_type()],
            attributes=attributes,
        )

    @staticmethod
    def _parse_offsets(parser: Parser) -> list[SSAValue]:
        if parser.parse_optional_keyword("offset") is None:
            return []
        parser.parse_punctuation("=")
        found = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        return [parser.resolve_operand(value, IndexType()) for value in found]


MemRefExt = Dialect("memref_ext", [AllocWorkspaceOp], [])
