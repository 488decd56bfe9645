"""The annotation dialect: marks on values, for example how many copies a buffer asks for."""

from __future__ import annotations

from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def


@irdl_op_definition
class MarkOp(IRDLOperation):
    """`annotation.mark %x {hivm.multi_buffer = 2 : i32} : type`."""

    name = "annotation.mark"
    src = operand_def()
    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


Annotation = Dialect("annotation", [MarkOp], [])
