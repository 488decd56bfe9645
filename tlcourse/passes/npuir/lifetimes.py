"""When on-chip buffers are alive: from their first use to their last, in program order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import error
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.vector import ElementwiseOp, VCastOp
from tlcourse.passes.npuir.buffers import (
    VIEWS,
    element_bits,
    is_contiguous,
    is_static,
    kind_of,
    memref_kind,
    name_of,
    roots,
    size_bytes,
    users,
)
from tlcourse.passes.npuir.hivm_mark_multi_buffer import copies_of
from tlcourse.passes.npuir.labels import labels_of

_NOT_A_USE = (*VIEWS, arith.SelectOp, MarkOp)
_LOOPS = (scf.ForOp, scf.WhileOp)


@dataclass(frozen=True, kw_only=True, eq=False)
class Buffer:
    """One allocation on chip.

    Args:
        op: the allocation.
        space: its memory, for example `ub`.
        size_bytes: bytes of one copy.
        copies: copies that a mark asks for.
        first: position of the first use in program order.
        last: position of the last use.
        first_op: the op at `first`, for messages.
        last_op: the op at `last`.
        pipes: pipes that touch it.
    """

    op: memref.AllocOp
    space: str
    size_bytes: int
    copies: int
    first: int
    last: int
    first_op: Operation
    last_op: Operation
    pipes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Order:
    """Positions of the ops of a function, and the position at which each op ends."""

    start: dict[Operation, int]
    end: dict[Operation, int]
    ops: tuple[Operation, ...]


def order_of(function: func.FuncOp) -> Order:
    """Numbers the ops of a function from 0, outer before inner."""
    ops = tuple(function.walk())
    start = {op: index for index, op in enumerate(ops)}
    end = dict(start)
    for op in reversed(ops):
        parent = op.parent_op()
        if parent is not None and parent in end:
            end[parent] = max(end[parent], end[op])
    return Order(start=start, end=end, ops=ops)


def buffers_of(function: func.FuncOp, order: Order) -> list[Buffer]:
    """The on-chip allocations of a function that are used, in program order."""
    allocations = [op for op in order.ops if isinstance(op, memref.AllocOp)]
    on_chip = [op for op in allocations if space_of(op.memref) not in ("", "gm")]
    found = [_buffer(op, order) for op in on_chip]
    return [buffer for buffer in found if buffer is not None]


def _buffer(op: memref.AllocOp, order: Order) -> Buffer | None:
    if not is_static(kind_of(op.memref)):
        raise error(
            "TL304",
            f"the size of {name_of(op.memref)} is not known when the kernel is compiled",
            why="addresses in on-chip memory are planned before the kernel runs",
            fix="give the tile a constant shape and use a slice of it where less is needed",
            labels=labels_of(op),
        )
    uses = [user for user in users(op.memref) if not isinstance(user, _NOT_A_USE)]
    spans = [_span(op, user, order) for user in uses]
    if not spans:
        return None
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return Buffer(
        op=op,
        space=space_of(op.memref),
        size_bytes=size_bytes(kind_of(op.memref)),
        copies=copies_of(op.memref),
        first=first,
        last=last,
        first_op=order.ops[first],
        last_op=order.ops[last],
        pipes=frozenset(user.pipe for user in uses if isinstance(user, PipeOp)),
    )


def _span(alloc: Operation, user: Operation, order: Order) -> tuple[int, int]:
    """Where a use keeps the buffer alive: in a loop that the buffer outlives, all of it."""
    outermost: Operation | None = None
    for op in _ancestors(user):
        if op.parent is alloc.parent or op is alloc.parent_op():
            if op.parent is alloc.parent and isinstance(op, _LOOPS):
                outermost = op
            break
        if isinstance(op, _LOOPS):
            outermost = op
    if outermost is None:
        return order.start[user], order.end[user]
    return order.start[outermost], order.end[outermost]


def _ancestors(op: Operation) -> Iterator[Operation]:
    current: Operation | None = op.parent_op() if isinstance(op, scf.YieldOp) else op
    while current is not None:
        yield current
        current = current.parent_op()


def in_place_pairs(buffers: list[Buffer], order: Order) -> Iterator[tuple[Buffer, Buffer]]:
    """Pairs (destination, source) of an op that may write its result over that source.

    The source dies where the destination is born, and the op reads each element before it
    writes it: elementwise ops, and casts to a type that is no wider.
    """
    by_value: dict[SSAValue, Buffer] = {buffer.op.memref: buffer for buffer in buffers}
    for position, op in enumerate(order.ops):
        if not isinstance(op, ElementwiseOp | VCastOp):
            continue
        born = _from_start(op.dst[0], by_value)
        if born is None or born.first != position:
            continue
        found = [
            dies
            for source in op.src
            if (dies := _from_start(source, by_value)) is not None
            and dies is not born
            and dies.last == position
            and dies.space == born.space
            and overwrites_safely(source, op.dst[0])
        ]
        if found:
            # The source that arrives last: the others can be refilled while this one is in use.
            yield born, max(found, key=lambda dies: dies.first)


def _from_start(value: SSAValue, by_value: dict[SSAValue, Buffer]) -> Buffer | None:
    """The buffer that a value is a view of, when the view starts where the buffer does."""
    kind = memref_kind(value)
    if kind is None or kind.get_offset() != 0:
        return None
    behind = roots(value)
    return by_value.get(behind[0]) if len(behind) == 1 else None


def overwrites_safely(source: SSAValue, destination: SSAValue) -> bool:
    """Whether each element is written where it, or an earlier one, was read."""
    read, written = kind_of(source), kind_of(destination)
    if read.get_shape() != written.get_shape():
        return False
    bits_read, bits_written = element_bits(read.element_type), element_bits(written.element_type)
    if bits_read == bits_written:
        return list(read.get_strides() or ()) == list(written.get_strides() or ())
    return bits_read > bits_written and is_contiguous(read) and is_contiguous(written)
