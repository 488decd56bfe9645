"""The annotation dialect: marks on values, for example how many copies a buffer asks for."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    var_operand_def,
)


@irdl_op_definition
class MarkOp(IRDLOperation):
    """`annotation.mark %x {hivm.multi_buffer = 2 : i32} : type`.

    `keys = ["k"] values = [%v : type]` before the type adds marks whose values are computed.
    """

    name = "annotation.mark"
    src = operand_def()
    values = var_operand_def()
    keys = opt_prop_def(ArrayAttr)
    assembly_format = (
        "$src attr-dict (`keys` `=` $keys^)? (`values` `=` `[` $values^ `:` type($values) `]`)? "
        "`:` type($src)"
    )

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value, []])


Annotation = Dialect("annotation", [MarkOp], [])
