"""Wishes that no instruction fulfils, as coded errors."""

from __future__ import annotations

from xdsl.ir import Operation

from tlcourse.codegen.writer import Writer
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl

_BY_HAND = (
    tl.ScopeOp,
    tl.SetFlagOp,
    tl.WaitFlagOp,
    tl.PipeBarrierOp,
    tl.SyncBlockSetOp,
    tl.SyncBlockWaitOp,
    tl.BarrierOp,
)


def unsupported(writer: Writer, op: Operation, mode: str) -> TLError:
    """TL214: a statement that the mode has no code for."""
    name = op.name.split(".")[-1]
    if isinstance(op, _BY_HAND) and mode == "Developer":
        why = "in Developer mode the compiler divides the work over the cores and orders it itself"
        fix = 'leave the statement out, or compile in Expert mode: mode="Expert"'
    else:
        why = f"{mode} code generation for Ascend 910B has no instruction for it"
        fix = "compute it on a tile with a T.v function, or before the launch and pass it in"
    return writer.error(
        "TL214", f"T.{_T_NAMES.get(name, name)} does not exist in {mode} mode", op, why=why, fix=fix
    )


_T_NAMES = {"scope": "Scope"}


def no_place(writer: Writer, op: tl.AllocOp, mode: str) -> TLError:
    """TL210: a tile whose memory the mode does not know."""
    if mode == "Expert":
        what = "leaves the choice of a memory to the compiler, which Expert mode does not make"
        fix = "use T.alloc_ub, T.alloc_L1 or T.alloc_L0C, or compile in Developer mode"
    else:
        what = "names a memory of the cube core, which Developer mode fills by itself"
        fix = "use T.alloc_shared or T.alloc_fragment, or compile in Expert mode"
    return writer.error(
        "TL210",
        f"The tile {op.label.data} has no place in {mode} mode",
        op,
        why=f"its allocation {what}",
        fix=fix,
    )
