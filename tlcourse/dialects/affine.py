"""xDSL's affine dialect with affine.max, and maps that multiply or divide by symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Dialect, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRToken

_KINDS = {
    "*": AffineBinaryOpKind.Mul,
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
    "mod": AffineBinaryOpKind.Mod,
}


class SemiAffineParser(AffineParser):
    """Reads maps whose right factor or divisor is no number, `s0 * s1` or `d0 floordiv s0`."""

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        try:
            return super()._create_binop_expr(lhs, rhs, binop)
        except NotImplementedError:
            return AffineBinaryOpExpr(_KINDS[binop.text], lhs, rhs)


class ExtremeOp(IRDLOperation):
    """Base of min and max: `affine.max #map(%d)[%s]` takes one of the results of a map."""

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)
    traits = traits_def(Pure())

    def __init__(self, arguments: Sequence[SSAValue], affine_map: AffineMapAttr) -> None:
        super().__init__(
            operands=[arguments], result_types=[IndexType()], properties={"map": affine_map}
        )

    def verify_(self) -> None:
        wanted = self.map.data.num_dims + self.map.data.num_symbols
        if len(self.arguments) != wanted:
            raise VerifyException(f"{self.name} takes {wanted} operands, as its map does")

    def print(self, printer: Printer) -> None:
        dims = self.map.data.num_dims
        printer.print_string(" ")
        printer.print_attribute(self.map)
        printer.print_string("(")
        printer.print_list(self.arguments[:dims], printer.print_ssa_value)
        printer.print_string(")")
        if self.arguments[dims:]:
            printer.print_string("[")
            printer.print_list(self.arguments[dims:], printer.print_ssa_value)
            printer.print_string("]")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        affine_map = parser.parse_attribute()
        if not isinstance(affine_map, AffineMapAttr):
            parser.raise_error(f"{cls.name} takes an affine map")
        found = [
            value
            for brackets in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
            for value in parser.parse_optional_comma_separated_list(
                brackets, lambda: parser.parse_operand(IndexType())
            )
            or ()
        ]
        op = cls(found, affine_map)
        op.attributes |= parser.parse_optional_attr_dict()
        return op


@irdl_op_definition
class MinOp(ExtremeOp):
    """The smallest result of a map."""

    name = "affine.min"


@irdl_op_definition
class MaxOp(ExtremeOp):
    """The largest result of a map."""

    name = "affine.max"


Affine = Dialect(
    "affine",
    [*(op for op in affine.Affine.operations if op.name != MinOp.name), MinOp, MaxOp],
    list(affine.Affine.attributes),
)
