"""Calls of the irregular tile ops, for printing a kernel as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl

Value = Callable[[SSAValue], str]


def tile_call(op: tl.TileOp, value: Value) -> str | None:
    """The call of an irregular tile op; None for one that this file does not know.

    Args:
        op: the op.
        value: the text of an operand.
    """
    arguments = SPELLED.get(type(op))
    if arguments is None:
        return None
    return f"T.{op.name.removeprefix('tl.')}({', '.join(arguments(op, value))})"


def _reduce(op: tl.ReduceOp, value: Value) -> list[str]:
    targets = [value(tile) for tile in op.destinations]
    target = targets[0] if len(targets) == 1 else f"({', '.join(targets)})"
    dims = f"dims={list(op.dimensions())}"
    clear = ["clear=False"] if op.accumulate is not None else []
    return [value(op.sources[0]), target, dims, f'reduce_mode="{op.mode.data}"', *clear]


def _cumsum(op: tl.CumsumOp, value: Value) -> list[str]:
    reverse = ["reverse=True"] if op.reverse is not None else []
    return [*_tiles(op, value), f"dim={op.dim.value.data}", *reverse]


def _transpose(op: tl.TransposeOp, value: Value) -> list[str]:
    return [*_tiles(op, value), str(list(op.order()))]


def _concat(op: tl.ConcatOp, value: Value) -> list[str]:
    return [*_tiles(op, value), str(op.dim.value.data)]


def _pad(op: tl.PadOp, value: Value) -> list[str]:
    return [*_tiles(op, value), value(op.value), _list(op.low, value), _list(op.high, value)]


def _deinterleave(op: tl.DeinterleaveOp, value: Value) -> list[str]:
    return [*_tiles(op, value), f'index_mode="{op.channels.data}"']


def _flip(op: tl.FlipOp, value: Value) -> list[str]:
    return [*_tiles(op, value), str(op.axis.value.data)]


def _gather(op: tl.GatherOp, value: Value) -> list[str]:
    source, indices = (value(tile) for tile in op.sources)
    return [source, value(op.destinations[0]), indices]


def _arange(op: tl.ArangeOp, value: Value) -> list[str]:
    return [value(op.destinations[0]), _list(op.strides, value), value(op.offset)]


def _atomic(op: tl.AtomicAddOp, value: Value) -> list[str]:
    return [value(op.destinations[0]), value(op.sources[0])]


def _tiles(op: tl.TileOp, value: Value) -> list[str]:
    return [value(tile) for tile in (*op.sources, *op.destinations)]


def _list(values: Sequence[SSAValue], value: Value) -> str:
    return f"[{', '.join(map(value, values))}]"


SPELLED: Mapping[type[Operation], Callable[[Any, Value], list[str]]] = {
    tl.ReduceOp: _reduce,
    tl.CumsumOp: _cumsum,
    tl.TransposeOp: _transpose,
    tl.ConcatOp: _concat,
    tl.PadOp: _pad,
    tl.InterleaveOp: _tiles,
    tl.DeinterleaveOp: _deinterleave,
    tl.FlipOp: _flip,
    tl.GatherOp: _gather,
    tl.ArangeOp: _arange,
    tl.ReshapeOp: _tiles,
    tl.AtomicAddOp: _atomic,
}
