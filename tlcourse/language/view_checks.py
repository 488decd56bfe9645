"""Refuses kernels that write one name of a T.view and read the other one later.

In the chip both are one memory. Here the view holds a copy, so that such a kernel would compute
something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import Label, TLError, error
from tlcourse.dialects import tl
from tlcourse.dialects.locations import span_of
from tlcourse.language.builder import Builder, View

_WRITE_NOTHING = (tl.RegionOp, tl.LoadOp, tl.PrintOp)
_READ_DESTINATION = (tl.GemmOp, tl.AtomicAddOp)


def check_views(build: Builder) -> None:
    """Checks all views of a kernel that is read to its end.

    Raises:
        TL141: one name of a view is written, and the other one read later.
    """
    for view in build.views:
        for op in _later(view.op):
            for changed, kept in (view.buffers, view.buffers[::-1]):
                if op is not view.op and changed in map(_buffer, _written(op)):
                    _check_kept(build, view, op, kept)


def _check_kept(build: Builder, view: View, write: Operation, kept: SSAValue) -> None:
    for op in _later(write):
        if kept in map(_buffer, _read(op)):
            raise _still_read(build, view, write, op)
        if kept in _written(op) and _is_certain(op, write):
            return


def _later(op: Operation) -> Iterator[Operation]:
    """The ops that may run after an op: those behind it, and those of the loops around it."""
    found = False
    for other in _top(op).walk():
        if found:
            yield other
        found = found or other is op
    loop = _loop_around(op)
    if loop is not None:
        yield from loop.walk()


def _top(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None:
        op = parent
    return op


def _loop_around(op: Operation) -> Operation | None:
    """The outermost loop around an op."""
    found: Operation | None = None
    while (parent := op.parent_op()) is not None:
        op = parent
        found = op if isinstance(op, tl.ForOp) else found
    return found


def _is_certain(op: Operation, write: Operation) -> bool:
    """Whether an op runs in every turn in which a write runs."""
    frame = op.parent_op()
    return frame is not None and frame.is_ancestor(write)


def _written(op: Operation) -> list[SSAValue]:
    """The buffers that an op writes; Tile IR names destinations last."""
    if isinstance(op, tl.TileOp):
        return list(op.destinations)
    return [] if isinstance(op, _WRITE_NOTHING) else _tiles(op)[-1:]


def _read(op: Operation) -> list[SSAValue]:
    if isinstance(op, tl.RegionOp):
        return []
    if isinstance(op, tl.TileOp):
        return [*op.sources, *(op.destinations if op.reads_destination() else ())]
    is_all = isinstance(op, (*_WRITE_NOTHING, *_READ_DESTINATION))
    return _tiles(op) if is_all else _tiles(op)[:-1]


def _tiles(op: Operation) -> list[SSAValue]:
    return [value for value in op.operands if isinstance(value.type, MemRefType)]


def _buffer(value: SSAValue) -> SSAValue:
    return value.owner.buffer if isinstance(value.owner, tl.RegionOp) else value


def _still_read(build: Builder, view: View, write: Operation, read: Operation) -> TLError:
    places = (
        (write, "one is written here"),
        (read, "the other one is read here"),
        (view.op, "the view"),
    )
    spans = [(span_of(op, build.sources), text) for op, text in places]
    return error(
        "TL141",
        f"`{view.name}` and its view are one memory, and one is written while the other one is "
        "still read",
        why="a view is kept as a tile of its own here; what is written to one of the two names "
        "is not seen under the other",
        fix="use one of the two names only behind T.view, or take the view behind the write",
        labels=tuple(Label(span=span, text=text) for span, text in spans if span is not None),
        sources=build.sources,
    )
