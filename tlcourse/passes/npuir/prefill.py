"""Loads that first fill what they load into: the fill becomes an op of its own."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.dma import LoadOp, ND2NZOp
from tlcourse.dialects.hivm.vector import VBrcOp
from tlcourse.dialects.memref import subview
from tlcourse.passes.npuir.buffers import (
    Extent,
    box_of,
    element_bits,
    extents_of,
    is_static,
    kind_of,
    roots,
)
from tlcourse.passes.npuir.operands import set_operands

_SLOTS = "hivm.cv_pipelined_multi_buffer"  # a buffer whose first dimension counts its copies
_UNLIKELY = "hivm.unlikely_condition"
_BYTE = 8


def fills_first(op: LoadOp | ND2NZOp) -> bool:
    """Whether a load on buffers fills its whole buffer first, and how is known."""
    wanted = op.init_out_buffer is not None and bool(op.init_out_buffer.value.data)
    if not wanted or op.pad_value is None or not isinstance(op.dst.type, MemRefType):
        return False
    behind = roots(op.dst)
    is_known = len(behind) == 1 and isinstance(behind[0].owner, memref.AllocOp)
    return is_known and (isinstance(op, ND2NZOp) or space_of(op.dst) == "ub")


def filled_and_loaded(op: LoadOp | ND2NZOp) -> Iterator[Operation]:
    """A fill of the buffer, under the load's condition if it has one, then the load alone."""
    (buffer,) = roots(op.dst)
    ops, target = _part_to_fill(op.dst, buffer)
    yield from ops
    assert op.pad_value is not None
    fill = VBrcOp(op.pad_value, target)
    if op.init_condition is None:
        yield fill
    else:
        branch = scf.IfOp(op.init_condition, [], Region(Block([fill, scf.YieldOp()])))
        branch.attributes[_UNLIKELY] = UnitAttr()
        yield branch
    yield _alone(op)


def _alone(op: LoadOp | ND2NZOp) -> Operation:
    if isinstance(op, ND2NZOp):
        return ND2NZOp(op.src, op.dst)
    load = op.clone()
    load.properties["init_out_buffer"] = BoolAttr.from_bool(False)
    set_operands(load, "init_condition", [])
    return load


def _part_to_fill(target: SSAValue, buffer: SSAValue) -> tuple[list[Operation], SSAValue]:
    """The whole buffer; of a buffer with copies, the copy in which the target lies."""
    view = target.owner
    has_slots = any(
        isinstance(use.operation, MarkOp) and _SLOTS in use.operation.attributes
        for use in buffer.uses
    )
    if has_slots and isinstance(view, memref.SubviewOp) and view.source is buffer:
        offsets, sizes = box_of(view)
        rest: list[Extent] = [0] * (len(offsets) - 1)
        slot = subview(buffer, [offsets[0], *rest], [sizes[0], *extents_of(buffer)[1:]])
        return [slot], slot.result
    if kind_of(buffer).element_type == kind_of(target).element_type:
        return [], buffer
    return _typed(buffer, kind_of(target))


def _typed(buffer: SSAValue, wanted: MemRefType) -> tuple[list[Operation], SSAValue]:
    """A buffer of bytes as one row of the target's elements."""
    bits = element_bits(wanted.element_type)
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    (size,) = extents_of(buffer)
    if is_static(kind_of(buffer)):
        assert isinstance(size, int)
        extent, ops, sizes = size * _BYTE // bits, [], []
    else:
        assert isinstance(size, SSAValue)
        byte, width = (arith.ConstantOp(IntegerAttr(n, IndexType())) for n in (_BYTE, bits))
        total = arith.MuliOp(size, byte)
        count = arith.DivSIOp(total.result, width)
        extent, ops, sizes = DYNAMIC_INDEX, [byte, width, total, count], [count.result]
    kind = MemRefType(wanted.element_type, [extent], NoneAttr(), wanted.memory_space)
    view = memref.ViewOp.build(operands=[buffer, zero.result, sizes], result_types=[kind])
    return [zero, *ops, view], view.results[0]
