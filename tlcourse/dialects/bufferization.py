"""Three bufferization ops in the form that the AscendNPU IR compiler reads.

xDSL's own print a newer form and refuse strided destinations.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType, TensorType, UnitAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


@irdl_op_definition
class ToTensorOp(IRDLOperation):
    """`%t = bufferization.to_tensor %m restrict : memref<..>`: a memref read as a tensor."""

    name = "bufferization.to_tensor"
    memref = operand_def(MemRefType)
    restrict = opt_prop_def(UnitAttr)
    writable = opt_prop_def(UnitAttr)
    tensor = result_def(TensorType)

    def __init__(self, memref: SSAValue) -> None:
        assert isinstance(memref.type, MemRefType)
        kind = cast(MemRefType, memref.type)
        super().__init__(
            operands=[memref],
            result_types=[TensorType(kind.element_type, kind.get_shape())],
            properties={"restrict": UnitAttr()},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        printer.print_string(" restrict" if self.restrict else "")
        printer.print_string(" writable" if self.writable else "")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    @classmethod
    def parse(cls, parser: Parser) -> ToTensorOp:
        unresolved = parser.parse_unresolved_operand()
        words = [w for w in ("restrict", "writable") if parser.parse_optional_keyword(w)]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(unresolved, parser.parse_type()))
        op.properties = {word: UnitAttr() for word in words}
        op.attributes |= attributes
        return op


@irdl_op_definition
class ToMemrefOp(IRDLOperation):
    """`%m = bufferization.to_memref %t read_only : memref<..>`: the buffer of a tensor."""

    name = "bufferization.to_memref"
    tensor = operand_def(TensorType)
    read_only = opt_prop_def(UnitAttr)
    memref = result_def(MemRefType)

    def __init__(self, tensor: SSAValue, kind: MemRefType) -> None:
        super().__init__(operands=[tensor], result_types=[kind])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(" read_only" if self.read_only else "")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    @classmethod
    def parse(cls, parser: Parser) -> ToMemrefOp:
        unresolved = parser.parse_unresolved_operand()
        read_only = parser.parse_optional_keyword("read_only")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        read = parser.parse_type()
        if not isinstance(read, MemRefType):
            parser.raise_error("bufferization.to_memref gives a memref")
        kind = cast(MemRefType, read)
        tensor = parser.resolve_operand(unresolved, TensorType(kind.element_type, kind.get_shape()))
        op = cls(tensor, kind)
        op.attributes |= attributes
        if read_only is not None:
            op.properties["read_only"] = UnitAttr()
        return op


@irdl_op_definition
class MaterializeInDestinationOp(IRDLOperation):
    """`bufferization.materialize_in_destination %t in writable %m : (..) -> ()`: a store."""

    name = "bufferization.materialize_in_destination"
    source = operand_def(TensorType)
    dest = operand_def()
    restrict = opt_prop_def(UnitAttr)
    writable = opt_prop_def(UnitAttr)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, dest: SSAValue) -> None:
        super().__init__(
            operands=[source, dest], result_types=[[]], properties={"writable": UnitAttr()}
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(" in")
        printer.print_string(" restrict" if self.restrict else "")
        printer.print_string(" writable" if self.writable else "")
        printer.print_string(" ")
        printer.print_ssa_value(self.dest)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> MaterializeInDestinationOp:
        pos = parser.pos
        source = parser.parse_unresolved_operand()
        parser.parse_keyword("in")
        words = [w for w in ("restrict", "writable") if parser.parse_optional_keyword(w)]
        dest = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_function_type()
        values = parser.resolve_operands([source, dest], list(kind.inputs.data), pos)
        return cls.build(
            operands=list(values),
            result_types=[list(kind.outputs.data)],
            properties={word: UnitAttr() for word in words},
            attributes=attributes,
        )


Bufferization = Dialect("bufferization", [ToTensorOp, ToMemrefOp, MaterializeInDestinationOp], [])
