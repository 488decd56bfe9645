"""Replacing ops without losing the learner's line.

xDSL's own `replace_matched_op` leaves new ops without a location, so every pass rewrites
through these helpers.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects.locations import inherit


def replace(
    op: Operation, new_ops: Sequence[Operation], results: Sequence[SSAValue | None] | None = None
) -> None:
    """Puts `new_ops` where `op` stood; they inherit its location.

    Args:
        op: the op to remove.
        new_ops: what stands there afterwards, in order.
        results: values for op's results; the last new op's results if left out.
    """
    inherit(list(new_ops), op.location)
    Rewriter.replace_op(op, list(new_ops), results)


def insert_before(
    op: Operation, new_ops: Sequence[Operation], *, like: Operation | None = None
) -> None:
    """Inserts ops before `op`; they inherit the location of `like`, or of `op`."""
    inherit(list(new_ops), (like or op).location)
    Rewriter.insert_op(list(new_ops), InsertPoint.before(op))


def insert_after(
    op: Operation, new_ops: Sequence[Operation], *, like: Operation | None = None
) -> None:
    """Inserts ops after `op`; they inherit the location of `like`, or of `op`."""
    inherit(list(new_ops), (like or op).location)
    Rewriter.insert_op(list(new_ops), InsertPoint.after(op))


def insert_at_start(block: Block, new_ops: Sequence[Operation], *, like: Operation) -> None:
    """Inserts ops at the start of a block; they inherit the location of `like`."""
    inherit(list(new_ops), like.location)
    Rewriter.insert_op(list(new_ops), InsertPoint.at_start(block))
