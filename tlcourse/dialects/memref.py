"""xDSL's memref dialect with a readable text for `copy` and `cast`, which it prints generically."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class CopyOp(IRDLOperation):
    """`memref.copy %source, %destination : type to type`."""

    name = "memref.copy"
    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)
    assembly_format = "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination])


@irdl_op_definition
class CastOp(IRDLOperation):
    """`memref.cast %source : type to type`: the same buffer under a looser or tighter type."""

    name = "memref.cast"
    source = operand_def(MemRefType)
    dest = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue, kind: MemRefType) -> None:
        super().__init__(operands=[source], result_types=[kind])


_OURS = (CopyOp, CastOp)
_NAMES = {op.name for op in _OURS}

MemRef = Dialect(
    "memref",
    [*(op for op in memref.MemRef.operations if op.name not in _NAMES), *_OURS],
    list(memref.MemRef.attributes),
)
