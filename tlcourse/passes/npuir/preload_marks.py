"""Marks on tiles that a preloaded scope hands to a later one: one copy for each on its way."""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.attrs import EnumWord
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.rewriting import insert_after
from tlcourse.dialects.scope import ScopeOp

_COPIES = "hivm.multi_buffer"
_LOCAL = "hivm.preload_local_buffer"
_AHEAD = "hivm.preload_num"
_CORE = "hivm.loop_core_type"
_ON_THE_WAY = 4


def mark_preloaded(function: func.FuncOp) -> None:
    """Asks for four copies of each on-chip tile that a scope makes ahead of its reader.

    A scope runs ahead where `hivm.preload_num` is not 0. What a cube scope makes goes through
    global memory and needs no copies here.
    """
    for scope in [op for op in function.walk() if isinstance(op, ScopeOp)]:
        ahead, core = scope.attributes.get(_AHEAD), scope.attributes.get(_CORE)
        runs_ahead = isinstance(ahead, IntegerAttr) and ahead.value.data != 0
        last = scope.region.block.last_op
        if runs_ahead and isinstance(core, EnumWord) and core.data != "CUBE" and last is not None:
            for made, result in zip(last.operands, scope.results, strict=True):
                if any(_is_of_a_scope(use.operation) for use in result.uses):
                    _mark(made)


def _is_of_a_scope(op: Operation) -> bool:
    return isinstance(op, ScopeOp) or isinstance(op.parent_op(), ScopeOp)


def _mark(buffer: SSAValue) -> None:
    alloc = buffer.owner
    marked = any(_COPIES in use.operation.attributes for use in buffer.uses)
    if isinstance(alloc, memref.AllocOp) and space_of(buffer) != "gm" and not marked:
        mark = MarkOp(buffer)
        mark.attributes[_COPIES] = IntegerAttr(_ON_THE_WAY, i32)
        mark.attributes[_LOCAL] = IntegerAttr(1, i32)
        insert_after(alloc, [mark])
