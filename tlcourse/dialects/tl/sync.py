"""Synchronisation and printing in Tile IR."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    IntegerType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
)


class SyncOp(IRDLOperation):
    """Base of the synchronisation ops. Each carries the pipe that `T.rs` named."""

    pipe = prop_def(StringAttr)


class FlagOp(SyncOp):
    """Base of set_flag and wait_flag: `pipe` runs it, `other` is the pipe at the other end."""

    other = prop_def(StringAttr)
    event = operand_def(IntegerType)
    assembly_format = "$pipe `,` $other `,` $event attr-dict `:` type($event)"

    def __init__(self, pipe: str, other: str, event: SSAValue) -> None:
        super().__init__(
            operands=[event], properties={"pipe": StringAttr(pipe), "other": StringAttr(other)}
        )


@irdl_op_definition
class SetFlagOp(FlagOp):
    """`pipe` signals `other` of the same core after its earlier work."""

    name = "tl.set_flag"


@irdl_op_definition
class WaitFlagOp(FlagOp):
    """`pipe` stands until `other` of the same core has set the flag."""

    name = "tl.wait_flag"


@irdl_op_definition
class PipeBarrierOp(SyncOp):
    """Later work of `pipe` waits for its earlier work; PIPE_ALL means all pipes."""

    name = "tl.pipe_barrier"
    assembly_format = "$pipe attr-dict"

    def __init__(self, pipe: str) -> None:
        super().__init__(properties={"pipe": StringAttr(pipe)})


class BlockFlagOp(SyncOp):
    """Base of the cross-core flags inside one block."""

    flag = operand_def(IntegerType)
    assembly_format = "$pipe `,` $flag attr-dict `:` type($flag)"

    def __init__(self, pipe: str, flag: SSAValue) -> None:
        super().__init__(operands=[flag], properties={"pipe": StringAttr(pipe)})


@irdl_op_definition
class SyncBlockSetOp(BlockFlagOp):
    """Raises a flag for the other kind of core once `pipe` has drained. A counter."""

    name = "tl.sync_block_set"


@irdl_op_definition
class SyncBlockWaitOp(BlockFlagOp):
    """`pipe` waits for one raise of a flag by the other kind of core."""

    name = "tl.sync_block_wait"


class BarrierOp(BlockFlagOp):
    """Base of the barriers between cores of one kind."""


@irdl_op_definition
class BlockBarrierOp(BarrierOp):
    """`pipe` waits until it has come here on all cores of its kind, in all blocks."""

    name = "tl.block_barrier"


@irdl_op_definition
class SubblockBarrierOp(BarrierOp):
    """`pipe` waits until it has come here on both vector cores of the block."""

    name = "tl.subblock_barrier"


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints a scalar or a tile, with the learner's message."""

    name = "tl.print"
    value = operand_def()
    message = prop_def(StringAttr)
    hex = opt_prop_def(UnitAttr)
    assembly_format = "(`hex` $hex^)? $message `,` $value attr-dict `:` type($value)"

    def __init__(self, message: str, value: SSAValue, *, hex: bool = False) -> None:
        super().__init__(
            operands=[value],
            properties={"message": StringAttr(message), "hex": UnitAttr() if hex else None},
        )
