"""Pass hivm-mark-multi-buffer: which buffers get a second copy."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.dma import LoadOp, MoveOp, ND2NZOp, StoreOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import insert_after
from tlcourse.passes.npuir.buffers import roots
from tlcourse.passes.npuir.functions import DevicePass, core_of, is_mixed
from tlcourse.passes.npuir.preload_marks import mark_preloaded

ATTRIBUTE = "hivm.multi_buffer"
COPIES = 2


@dataclass(frozen=True)
class HivmMarkMultiBufferPass(DevicePass):
    """Asks for two copies of a buffer that a loop fills or empties through GM.

    ```
    scf.for .. {                        -->   scf.for .. {
      %a = memref.alloc() : .. cbuf             %a = memref.alloc() : .. cbuf
      nd2nz ins(%gm) outs(%a)                   annotation.mark %a {hivm.multi_buffer = 2}
                                                nd2nz ins(%gm) outs(%a)
    ```

    With two copies, iteration i + 1 loads one while iteration i still computes on the other.

    Algorithm: the on-chip side of each nd2nz, load and store, when it is allocated inside
    `scf.for` loops only, is marked once. A buffer that a loop hands on to its next turn does
    not belong to that loop. In kernels for both kinds of core only nd2nz counts. A tile that a
    scope makes ahead of its reader gets four copies.

    Before a mixed kernel is split, the pass has a first round. It asks for four copies
    (`set_workspace_multibuffer`) of each workspace tile that a loop fills, for cv-pipelining.

    Differs from upstream: nothing for the default options. A buffer that stands before the
    loop is never doubled, here and there.
    """

    name = "hivm-mark-multi-buffer"

    enable_auto: bool = True
    set_workspace_multibuffer: int = 4

    def run(self, function: func.FuncOp) -> None:
        moves = (ND2NZOp,) if is_mixed(function) else (ND2NZOp, LoadOp, StoreOp)
        if not self.enable_auto:
            return
        mark_preloaded(function)
        if core_of(function) == "MIX":
            for op in [inner for inner in function.walk() if isinstance(inner, AllocWorkspaceOp)]:
                _mark(op.result, self.set_workspace_multibuffer)
            return
        for op in list(function.walk()):
            if isinstance(op, moves):
                for buffer in _on_chip_buffers(op):
                    _mark(buffer, COPIES)


def _on_chip_buffers(op: MoveOp) -> tuple[SSAValue, ...]:
    side = op.src if isinstance(op, StoreOp) else op.dst
    return roots(side)


def _mark(buffer: SSAValue, copies: int) -> None:
    op = buffer.owner
    if (
        not isinstance(op, memref.AllocOp | memref.AllocaOp | AllocWorkspaceOp)
        or not _is_inside_loops(_home(buffer, op))
        or copies_of(buffer) > 1
    ):
        return
    mark = MarkOp(buffer)
    mark.attributes[ATTRIBUTE] = IntegerAttr(copies, i32)
    insert_after(op, [mark])


def _home(buffer: SSAValue, op: Operation) -> Operation:
    """The op whose turns a buffer takes part in: it outlives loops that hand it on.

    Args:
        buffer: the buffer.
        op: its allocation, or a loop that handed it on.
    """
    loop = op.parent_op()
    while isinstance(loop, scf.IfOp):
        loop = loop.parent_op()
    last = loop.body.block.last_op if isinstance(loop, scf.ForOp) else None
    if loop is None or last is None:
        return op
    outlives = any(buffer in roots(given) for given in last.operands)
    return _home(buffer, loop) if outlives else op


def _is_inside_loops(op: Operation) -> bool:
    loops = 0
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        if isinstance(parent, scf.ForOp):
            loops += 1
        elif not isinstance(parent, scf.IfOp):
            return False
        parent = parent.parent_op()
    return loops > 0


def copies_of(buffer: SSAValue) -> int:
    """How many copies a mark asks for; 1 without one."""
    for use in buffer.uses:
        wanted = use.operation.attributes.get(ATTRIBUTE)
        if isinstance(use.operation, MarkOp) and isinstance(wanted, IntegerAttr):
            return wanted.value.data
    return 1
