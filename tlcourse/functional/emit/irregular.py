"""Tile statements that are no rows of the elementwise table, as calls of `tlcourse.tile_math`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.tl.tile_op import TileOp
from tlcourse.functional.emit.emitter import Emitter
from tlcourse.functional.emit.tiles import refuse, same_rank
from tlcourse.functional.emit.views import Extent, View, tuple_text

Names = list[str]
Call = Callable[[Emitter, Any, Names, Names], str]
Shape = Callable[[Any, list[View]], Sequence[Extent]]


def tile_statement(e: Emitter, op: TileOp) -> None:
    """Computes an irregular tile op into its destinations."""
    if isinstance(op, tl.AtomicAddOp):
        _add(e, op)
        return
    sources = [e.views[value] for value in op.sources]
    targets = [e.views[value] for value in op.destinations]
    _check(e, op, sources, targets)
    tag = e.tag(op)
    reads = [e.tensor(view, tag) for view in sources]
    if isinstance(op, tl.GatherOp):
        _check_indices(e, op, reads[1])
    writes = [e.tensor(view, tag) for view in targets]
    e.line(op, f"numeric.{_CALLS[type(op)](e, op, writes, reads)}")


def _add(e: Emitter, op: tl.AtomicAddOp) -> None:
    src, dst = same_rank(e.views[op.sources[0]], e.views[op.destinations[0]])
    _agree(e, op, src.shape, dst)
    tag = e.tag(op)
    source = e.tensor(src, tag)
    e.line(op, f"{e.tensor(dst, tag)}.add_({source})")


def _check(e: Emitter, op: TileOp, sources: list[View], targets: list[View]) -> None:
    shape = _SHAPES.get(type(op))
    if shape is None:
        return
    for target in targets:
        _agree(e, op, shape(op, sources), target)


def _agree(e: Emitter, op: Operation, shape: Sequence[Extent], target: View) -> None:
    faults = [f"{have} != {want}" for have, want in zip(shape, target.shape) if have != want]
    views = [e.views[value] for value in op.operands if value in e.views]
    refuse(e, op, faults, views)


def _check_indices(e: Emitter, op: tl.GatherOp, indices: str) -> None:
    """Compares the indices with the source's last extent: torch's own words would not help."""
    view = e.views[op.sources[0]]
    name, last = e.code.name("stray"), view.shape[-1]
    e.line(op, f"{name} = numeric.stray_index({indices}, {last})")
    rank = len(view.shape)
    offsets = tuple_text([*(0,) * (rank - 1), name])
    with e.code.block(f"if {name} is not None:"):
        e.code.line(
            f"core.outside({e.tag(op)}, {view.label!r}, 'reads', {offsets}, "
            f"{tuple_text((1,) * rank)}, {tuple_text(view.shape)}, {e.iteration()})"
        )


def _reduce(e: Emitter, op: tl.ReduceOp, writes: Names, reads: Names) -> str:
    # Counted from the last one, dimensions are the same where a tile has one more for blocks.
    rank = len(e.views[op.sources[0]].shape)
    mode, dims = op.mode.data, [dim - rank for dim in op.dimensions()]
    if len(writes) == 2:
        return f"reduce_with_index({writes[0]}, {writes[1]}, {reads[0]}, {mode!r}, {dims[0]})"
    return f"reduce({writes[0]}, {reads[0]}, {mode!r}, {tuple_text(dims)})"


def _cumsum(e: Emitter, op: tl.CumsumOp, writes: Names, reads: Names) -> str:
    reverse = ", True" if op.reverse else ""
    dim = op.dim.value.data - len(e.views[op.sources[0]].shape)
    return f"cumsum({writes[0]}, {reads[0]}, {dim}{reverse})"


def _transpose(e: Emitter, op: tl.TransposeOp, writes: Names, reads: Names) -> str:
    return f"transpose({writes[0]}, {reads[0]}, {tuple_text(op.order())})"


def _concat(e: Emitter, op: tl.ConcatOp, writes: Names, reads: Names) -> str:
    return f"concat({writes[0]}, {_tuple(reads)}, {op.dim.value.data})"


def _pad(e: Emitter, op: tl.PadOp, writes: Names, reads: Names) -> str:
    low, high = (_scalars(e, values) for values in (op.low, op.high))
    return f"pad({writes[0]}, {reads[0]}, {e.scalar(op.value)}, {low}, {high})"


def _interleave(e: Emitter, op: tl.InterleaveOp, writes: Names, reads: Names) -> str:
    return f"interleave({writes[0]}, {reads[0]}, {reads[1]})"


def _deinterleave(e: Emitter, op: tl.DeinterleaveOp, writes: Names, reads: Names) -> str:
    return f"deinterleave({_tuple(writes)}, {reads[0]}, {op.channels.data!r})"


def _flip(e: Emitter, op: tl.FlipOp, writes: Names, reads: Names) -> str:
    return f"flip({writes[0]}, {reads[0]}, {op.axis.value.data})"


def _gather(e: Emitter, op: tl.GatherOp, writes: Names, reads: Names) -> str:
    return f"gather({writes[0]}, {reads[0]}, {reads[1]})"


def _arange(e: Emitter, op: tl.ArangeOp, writes: Names, reads: Names) -> str:
    return f"arange({writes[0]}, {e.scalar(op.offset)}, {_scalars(e, op.strides)})"


def _reshape(e: Emitter, op: tl.ReshapeOp, writes: Names, reads: Names) -> str:
    return f"reshape({writes[0]}, {reads[0]})"


_CALLS: dict[type[Operation], Call] = {
    tl.ReduceOp: _reduce,
    tl.CumsumOp: _cumsum,
    tl.TransposeOp: _transpose,
    tl.ConcatOp: _concat,
    tl.PadOp: _pad,
    tl.InterleaveOp: _interleave,
    tl.DeinterleaveOp: _deinterleave,
    tl.FlipOp: _flip,
    tl.GatherOp: _gather,
    tl.ArangeOp: _arange,
    tl.ReshapeOp: _reshape,
}


def _reduced(op: tl.ReduceOp, sources: list[View]) -> Sequence[Extent]:
    dims = op.dimensions()
    return [1 if dim in dims else extent for dim, extent in enumerate(sources[0].shape)]


def _turned(op: tl.TransposeOp, sources: list[View]) -> Sequence[Extent]:
    return [sources[0].shape[dim] for dim in op.order()]


def _joined(op: tl.ConcatOp, sources: list[View]) -> Sequence[Extent]:
    axis, shape = op.dim.value.data, list(sources[0].shape)
    parts = [source.shape[axis] for source in sources]
    known = [part for part in parts if isinstance(part, int)]
    shape[axis] = sum(known) if len(known) == len(parts) else " + ".join(map(str, parts))
    return shape


def _doubled(op: tl.InterleaveOp, sources: list[View]) -> Sequence[Extent]:
    *others, last = sources[0].shape
    return [*others, 2 * last if isinstance(last, int) else f"2 * {last}"]


def _halved(op: tl.DeinterleaveOp, sources: list[View]) -> Sequence[Extent]:
    *others, last = sources[0].shape
    return [*others, last // 2 if isinstance(last, int) else f"{last} / 2"]


def _same(op: Operation, sources: list[View]) -> Sequence[Extent]:
    return sources[-1].shape


_SHAPES: dict[type[Operation], Shape] = {
    tl.ReduceOp: _reduced,
    tl.CumsumOp: _same,
    tl.TransposeOp: _turned,
    tl.ConcatOp: _joined,
    tl.InterleaveOp: _doubled,
    tl.DeinterleaveOp: _halved,
    tl.FlipOp: _same,
    tl.GatherOp: _same,
}


def _tuple(names: Names) -> str:
    return f"({', '.join(names)},)"


def _scalars(e: Emitter, values: Sequence[SSAValue]) -> str:
    return tuple_text([e.extent(value) for value in values])
