"""Flags, barriers and debug prints: ops that look the same in each kind of code."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tlcourse.codegen.writer import Writer, constant_of
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.sync import (
    PipeBarrierOp,
    SetFlagOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    WaitFlagOp,
)

_CORES = {"AIC": "CUBE", "AIV": "VECTOR"}
_BARRIER_MODES: dict[type[Operation], str] = {
    tl.BlockBarrierOp: "INTER_BLOCK_SYNCHRONIZATION",
    tl.SubblockBarrierOp: "INTER_SUBBLOCK_SYNCHRONIZATION",
}


def lower_sync(writer: Writer, op: Operation) -> bool:
    """Writes a flag or barrier of Expert mode; False where the op is something else."""
    match op:
        case tl.SetFlagOp():
            event = _as_i64(writer, op.event)
            writer.add(SetFlagOp(op.pipe.data, op.other.data, event))
        case tl.WaitFlagOp():
            event = _as_i64(writer, op.event)
            writer.add(WaitFlagOp(op.other.data, op.pipe.data, event))
        case tl.PipeBarrierOp():
            writer.add(PipeBarrierOp(op.pipe.data))
        case tl.SyncBlockSetOp():
            core, flag = _CORES[writer.core], _flag(writer, op.flag)
            writer.add(SyncBlockSetOp(core, op.pipe.data, "PIPE_S", flag))
        case tl.SyncBlockWaitOp():
            core, flag = _CORES[writer.core], _flag(writer, op.flag)
            writer.add(SyncBlockWaitOp(core, "PIPE_S", op.pipe.data, flag))
        case tl.BarrierOp():
            _barrier(writer, op)
        case _:
            return False
    return True


def _barrier(writer: Writer, op: tl.BarrierOp) -> None:
    """A barrier is a raise of a flag that all its cores share, and a wait for it."""
    core, flag, pipe = _CORES[writer.core], _flag(writer, op.flag), op.pipe.data
    writer.add(SyncBlockSetOp(core, pipe, "PIPE_S", flag, mode=_BARRIER_MODES[type(op)]))
    writer.add(SyncBlockWaitOp(core, "PIPE_S", pipe, flag))


def _flag(writer: Writer, value: SSAValue) -> int | SSAValue:
    number = constant_of(value)
    return _as_i64(writer, value) if number is None else number


def _as_i64(writer: Writer, value: SSAValue) -> SSAValue:
    number = constant_of(value)
    if number is not None:
        return writer.constant(number, i64)
    return writer.add(arith.ExtSIOp(writer.values[value], i64)).result
