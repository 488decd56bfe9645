"""The HIVM instruction of each irregular tile op; both modes use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from tlcourse.codegen.regions import Part, extract, insert, part_of, subview
from tlcourse.codegen.scalars import cast_scalar
from tlcourse.codegen.tensor_copies import empty
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.shapes import (
    VArangeOp,
    VConcatOp,
    VCumsumOp,
    VDeinterleaveOp,
    VFlipOp,
    VGatherOp,
    VInterleaveOp,
    VPadOp,
    VTransposeOp,
)
from tlcourse.dialects.hivm.vector import VReduceOp, element_of

Values = Sequence[SSAValue]


def move_memrefs(writer: Writer, op: tl.TileOp) -> None:
    """Writes an op of Expert mode: on views of buffers."""
    sources = [_view(writer, part_of(writer, tile)) for tile in op.sources]
    destinations = [_view(writer, part_of(writer, tile)) for tile in op.destinations]
    writer.add(MOVES[type(op)](writer, op, sources, destinations))


def move_tensors(writer: Writer, op: tl.TileOp) -> None:
    """Writes an op of Developer mode: its results replace parts of the destinations."""
    parts = [part_of(writer, tile) for tile in op.sources]
    sources = [extract(writer, writer.buffers[p.buffer], p, _dims(p)) for p in parts]
    targets = [part_of(writer, tile) for tile in op.destinations]
    rooms = [empty(writer, part.sizes, part.element) for part in targets]
    results = writer.add(MOVES[type(op)](writer, op, sources, rooms)).results
    for part, result in zip(targets, results, strict=True):
        base = writer.buffers[part.buffer]
        writer.keep(part.buffer, insert(writer, result, base, part, _dims(part)))


def _view(writer: Writer, part: Part) -> SSAValue:
    return subview(writer, writer.buffers[part.buffer], part, _dims(part))


def _dims(part: Part) -> tuple[int, ...]:
    return tuple(range(len(part.sizes)))


def _reduce(writer: Writer, op: tl.ReduceOp, sources: Values, targets: Values) -> PipeOp:
    return VReduceOp(sources[0], targets, op.mode.data, op.dimensions())


def _cumsum(writer: Writer, op: tl.CumsumOp, sources: Values, targets: Values) -> PipeOp:
    reverse = op.reverse is not None
    return VCumsumOp(sources[0], targets[0], op.dim.value.data, reverse=reverse)


def _transpose(writer: Writer, op: tl.TransposeOp, sources: Values, targets: Values) -> PipeOp:
    return VTransposeOp(sources[0], targets[0], op.order())


def _concat(writer: Writer, op: tl.ConcatOp, sources: Values, targets: Values) -> PipeOp:
    return VConcatOp(sources, targets[0], op.dim.value.data)


def _pad(writer: Writer, op: tl.PadOp, sources: Values, targets: Values) -> PipeOp:
    value = cast_scalar(writer, op.value, element_of(targets[0]))
    low, high = ([writer.index(length) for length in side] for side in (op.low, op.high))
    return VPadOp(sources[0], targets[0], value, low, high)


def _interleave(writer: Writer, op: tl.InterleaveOp, sources: Values, targets: Values) -> PipeOp:
    return VInterleaveOp(sources, targets[0])


def _deinterleave(
    writer: Writer, op: tl.DeinterleaveOp, sources: Values, targets: Values
) -> PipeOp:
    return VDeinterleaveOp(sources[0], targets, op.channels.data)


def _flip(writer: Writer, op: tl.FlipOp, sources: Values, targets: Values) -> PipeOp:
    return VFlipOp(sources[0], targets[0], op.axis.value.data)


def _gather(writer: Writer, op: tl.GatherOp, sources: Values, targets: Values) -> PipeOp:
    return VGatherOp(sources[0], sources[1], targets[0])


def _arange(writer: Writer, op: tl.ArangeOp, sources: Values, targets: Values) -> PipeOp:
    offset, *strides = writer.index_values([op.offset, *op.strides])
    return VArangeOp(targets[0], offset, strides)


MOVES: dict[type[Operation], Callable[[Writer, Any, Values, Values], PipeOp]] = {
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
}
