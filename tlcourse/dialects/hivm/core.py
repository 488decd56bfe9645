"""Ops of HIVM that run on the scalar unit: block ids, addresses, mode registers, debug."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IndexType, MemRefType, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure


class BlockIdOp(IRDLOperation):
    """Base of the block ids: `%0 = hivm.hir.get_block_idx -> i64`."""

    result = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `->` type($result)"

    def __init__(self) -> None:
        super().__init__(result_types=[i64])


@irdl_op_definition
class GetBlockIdxOp(BlockIdOp):
    """The logical block, from 0."""

    name = "hivm.hir.get_block_idx"


@irdl_op_definition
class GetSubBlockIdxOp(BlockIdOp):
    """Which of the two vector cores this is: 0 or 1; 0 on a cube core."""

    name = "hivm.hir.get_sub_block_idx"


@irdl_op_definition
class GetBlockNumOp(BlockIdOp):
    """The number of logical blocks."""

    name = "hivm.hir.get_block_num"


@irdl_op_definition
class GetSubBlockNumOp(BlockIdOp):
    """The number of vector cores in a group."""

    name = "hivm.hir.get_sub_block_num"


@irdl_op_definition
class SetMaskNormOp(IRDLOperation):
    """Sets the vector mask to its normal mode at the kernel's entry."""

    name = "hivm.hir.set_mask_norm"
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class SetFFTSBaseAddrOp(IRDLOperation):
    """Tells the core where its cross-core flags live."""

    name = "hivm.hir.set_ffts_base_addr"
    ffts_base_addr = operand_def(i64)
    assembly_format = "$ffts_base_addr attr-dict"

    def __init__(self, base: SSAValue) -> None:
        super().__init__(operands=[base])


@irdl_op_definition
class PointerCastOp(IRDLOperation):
    """A buffer at a planned byte address of its memory; several addresses for several copies."""

    name = "hivm.hir.pointer_cast"
    addrs = var_operand_def(i64)
    dynamic_sizes = var_operand_def(IndexType)
    result = result_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = "`(` $addrs `)` (`[` $dynamic_sizes^ `]`)? attr-dict `:` type($result)"

    def __init__(self, addresses: Sequence[SSAValue], kind: MemRefType) -> None:
        super().__init__(operands=[addresses, []], result_types=[kind])


@irdl_op_definition
class DebugOp(IRDLOperation):
    """Prints a scalar or a tile: `hivm.hir.debug {debugtype = "print", ..} %x : type`."""

    name = "hivm.hir.debug"
    arg = operand_def()
    debugtype = prop_def(StringAttr)
    prefix = prop_def(StringAttr)
    hex = prop_def(BoolAttr)
    tcoretype = opt_prop_def()
    memscope = opt_prop_def()
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict $arg `:` type($arg)"

    def __init__(self, prefix: str, value: SSAValue, *, hex: bool = False) -> None:
        super().__init__(
            operands=[value],
            properties={
                "debugtype": StringAttr("print"),
                "prefix": StringAttr(prefix),
                "hex": BoolAttr.from_bool(hex),
            },
        )


@irdl_op_definition
class InitDebugOp(IRDLOperation):
    """Opens the channel for prints; the compiler puts it at the start of a kernel that prints."""

    name = "hivm.hir.init_debug"
    assembly_format = "attr-dict"


@irdl_op_definition
class FinishDebugOp(IRDLOperation):
    """Sends what was printed; the compiler puts it behind each print."""

    name = "hivm.hir.finish_debug"
    assembly_format = "attr-dict"


CORE = [
    GetBlockIdxOp,
    GetSubBlockIdxOp,
    GetBlockNumOp,
    GetSubBlockNumOp,
    SetMaskNormOp,
    SetFFTSBaseAddrOp,
    PointerCastOp,
    DebugOp,
    InitDebugOp,
    FinishDebugOp,
]
