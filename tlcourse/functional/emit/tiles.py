"""Tile statements: copies, elementwise ops, matrix products and prints."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.functional.emit.emitter import HALF, Emitter, loses_range
from tlcourse.functional.emit.scalars import stored
from tlcourse.functional.emit.views import (
    Extent,
    View,
    drop,
    lift,
    stretch,
    transpose,
    tuple_text,
)


def copy(e: Emitter, op: tl.CopyOp) -> None:
    """Copies a tile; another dtype is reached by rounding to nearest even, then saturating."""
    src, dst = same_rank(e.views[op.src], e.views[op.dst])
    _agree(e, op, [(src, dst)], broadcast=False)
    if dst.rebound:
        _rename(e, op, src, dst)
        return
    if e.blocks and not (src.blocks and dst.blocks):
        _move_blocks(e, op, src, dst)
        return
    tag = e.tag(op)
    source, target = _source(e, src, dst, tag), e.tensor(dst, tag)
    if loses_range(src.dtype, dst.dtype):
        e.line(op, f"cast_copy({target}, {source}, 'rint')")
    else:
        e.line(op, f"{target}.copy_({source})")
    if op.relu:
        e.line(op, f"{target}.clamp_min_(0)")


def elementwise(e: Emitter, op: tl.ElementwiseOp) -> None:
    """Computes an op of the vector table into its destination."""
    dst = e.views[op.destination]
    values = list(op.sources)
    tiles = [_lowered(e.views[value], len(dst.shape)) for value in values if _is_tile(value)]
    _agree(e, op, [(tile, dst) for tile in tiles], broadcast=True)
    tag = e.tag(op)
    texts = [_source(e, tile, dst, tag) for tile in _stretched(tiles, dst)]
    dtype = tiles[0].dtype if op.row.mask == "destination" else dst.dtype
    texts += [_scalar_tile(e, value, dtype) for value in values if not _is_tile(value)]
    e.line(op, op.statement(dst.dtype).format(*texts, o=e.tensor(dst, tag)))


def broadcast(e: Emitter, op: tl.BroadcastOp) -> None:
    """Fills a tile with a scalar, or repeats a tile along its extents of 1."""
    dst, tag = e.views[op.destination], e.tag(op)
    if not _is_tile(op.source):
        number = stored(op.source.type, e.scalar(op.source))
        e.line(op, f"{e.tensor(dst, tag)}.fill_({number})")
        return
    src = lift(_lowered(e.views[op.source], len(dst.shape)), len(dst.shape))
    _agree(e, op, [(src, dst)], broadcast=True)
    source = _source(e, src, dst, tag)
    e.line(op, f"{e.tensor(dst, tag)}.copy_({source})")


def cast(e: Emitter, op: tl.CastOp) -> None:
    """Converts a tile to another dtype in the op's round mode."""
    dst, tag = e.views[op.destination], e.tag(op)
    src = lift(_lowered(e.views[op.source], len(dst.shape)), len(dst.shape))
    _agree(e, op, [(src, dst)], broadcast=True)
    source = _source(e, src, dst, tag)
    e.line(op, f"cast_copy({e.tensor(dst, tag)}, {source}, {op.round_mode.data!r})")


def bitcast(e: Emitter, op: tl.BitcastOp) -> None:
    """Copies the bits of a tile into a tile of another dtype."""
    (source,), (destination,) = op.sources, op.destinations
    src, dst, tag = e.views[source], e.views[destination], e.tag(op)
    _agree(e, op, [(src, dst)], broadcast=False)
    e.line(op, f"{e.tensor(dst, tag)}.copy_({e.tensor(src, tag)}.view(torch.{dst.dtype}))")


def gemm(e: Emitter, op: tl.GemmOp) -> None:
    """Multiplies two tiles into an accumulator of float32, or int32 for int8."""
    a, b, c = (_matrix(e.views[value]) for value in (op.a, op.b, op.c))
    row = transpose(a) if op.a_transpose else a
    column = transpose(b) if op.b_transpose else b
    pairs = zip(
        (row.shape[0], column.shape[1], row.shape[1]),
        (c.shape[0], c.shape[1], column.shape[0]),
        strict=True,
    )
    refuse(e, op, [f"{x} != {y}" for x, y in pairs if x != y], [a, b, c])
    tag = e.tag(op)
    target, init = e.tensor(c, tag), e.scalar(op.init)
    if c.dtype == "int32":
        e.line(op, f"gemm_int8({target}, {e.tensor(row, tag)}, {e.tensor(column, tag)}, {init})")
        return
    left = _wide(e, op, a, "left", op.a_transpose is not None)
    right = _wide(e, op, b, "right", op.b_transpose is not None)
    _multiply(e, op, target, f"{left}, {right}", init)


def show(e: Emitter, op: tl.PrintOp) -> None:
    """Prints a scalar or a tile."""
    text = e.tensor(e.views[op.value], e.tag(op)) if _is_tile(op.value) else e.scalar(op.value)
    e.line(op, f"core.print({op.message.data!r}, {text}, {op.hex is not None})")


def _multiply(e: Emitter, op: tl.GemmOp, target: str, operands: str, init: str) -> None:
    if e.blocks:
        e.line(op, f"product_blocks({target}, {operands}, {init})")
        return
    fresh, added = f"torch.mm({operands}, out={target})", f"{target}.addmm_({operands})"
    if init in ("True", "False"):
        e.line(op, fresh if init == "True" else added)
        return
    with e.code.block(f"if {init}:"):
        e.line(op, fresh)
    with e.code.block("else:"):
        e.line(op, added)


def _rename(e: Emitter, op: Operation, src: View, dst: View) -> None:
    """Lets a buffer's name stand for a tile of a tensor that never changes."""
    tiles = e.code.hoist(
        f"{src.tensor}_tiles",
        f"Tiles({src.tensor}, {tuple_text(src.shape)}, {tuple_text(src.strides)})",
    )
    if e.blocks:
        e.line(op, f"{dst.tensor} = tiles_of_blocks({tiles}, {src.position()}, {_shifts(src)})")
    else:
        e.line(op, f"{dst.tensor} = {tiles}({src.position()})")


def _move_blocks(e: Emitter, op: Operation, src: View, dst: View) -> None:
    """Copies the tiles of several blocks from or to a tensor in GM."""
    tag, gm = e.tag(op), dst if src.blocks else src
    place = f"{tuple_text(gm.shape)}, {tuple_text(gm.strides)}, {gm.position()}, {_shifts(gm)}"
    if gm is src:
        e.line(op, f"load_blocks({e.tensor(dst, tag)}, {src.tensor}, {place})")
    else:
        e.line(op, f"store_blocks({dst.tensor}, {e.tensor(src, tag)}, {place})")


def _shifts(view: View) -> str:
    return " + ".join(view.shifts) or "None"


def _wide(e: Emitter, op: Operation, view: View, side: str, turn: bool) -> str:
    """The text of a matrix in float32: half precision products are slow on a CPU."""
    tag, swap = e.tag(op), ".mT" if turn else ""
    if view.rebound:
        return f"{view.tensor}{swap}"
    if view.dtype not in HALF:
        return e.tensor(transpose(view) if turn else view, tag)
    if not all(isinstance(extent, int) for extent in view.shape):
        return f"{e.tensor(view, tag)}.float(){swap}"
    shape = (view.blocks, *view.shape) if view.blocks else view.shape
    empty = f"torch.empty({tuple_text(shape)}, dtype=torch.float32)"
    scratch = e.code.hoist(f"{side}_f32", empty, key=f"{side} {empty}")
    e.line(op, f"{scratch}.copy_({e.tensor(view, tag)})")
    return e.code.hoist(f"{scratch}_t", f"{scratch}.mT") if turn else scratch


def _matrix(view: View) -> View:
    """A tile of more dimensions as the matrix of its last two; the leading extents are 1."""
    return drop(view, range(len(view.shape) - 2))


def _is_tile(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType)


def same_rank(src: View, dst: View) -> tuple[View, View]:
    """Two tiles without their extents of 1, unless they agree as they are."""
    pairs = zip(src.shape, dst.shape, strict=False)
    if len(src.shape) == len(dst.shape) and all(_may_agree(s, d) for s, d in pairs):
        return src, dst
    return drop(src, _ones(src)), drop(dst, _ones(dst))


def _ones(view: View) -> list[int]:
    return [dim for dim, extent in enumerate(view.shape) if extent == 1]


def _may_agree(left: Extent, right: Extent) -> bool:
    return left == right or isinstance(left, str) or isinstance(right, str)


def _lowered(tile: View, rank: int) -> View:
    """A source of more dimensions than the destination, without its leading extents of 1."""
    leading = range(len(tile.shape) - rank)
    return drop(tile, leading) if all(tile.shape[dim] == 1 for dim in leading) else tile


def _stretched(tiles: list[View], dst: View) -> list[View]:
    """The tiles in the destination's rank, the first repeated where none fills a dimension."""
    rank = len(dst.shape)
    tiles = [lift(tile, rank) for tile in tiles]
    dims = [
        dim
        for dim, extent in enumerate(dst.shape)
        if extent != 1 and all(_extent_at(tile, dim - rank) == 1 for tile in tiles)
    ]
    if not dims:
        return tiles
    return [stretch(tiles[0], dims, [dst.shape[dim] for dim in dims]), *tiles[1:]]


def _extent_at(tile: View, dim: int) -> Extent:
    """The extent of a dimension counted from the last, -1; 1 where there is none."""
    return tile.shape[dim] if -dim <= len(tile.shape) else 1


def _source(e: Emitter, src: View, dst: View, tag: int) -> str:
    """A source tile; a copy of it where it overlaps the destination in another place."""
    apart = src.tensor != dst.tensor or src.text() == dst.text()
    return e.tensor(src, tag) if apart else f"{e.tensor(src, tag)}.clone()"


def _scalar_tile(e: Emitter, value: SSAValue, dtype: str) -> str:
    """A scalar operand as a tensor of one element, rounded to the tile's dtype."""
    text = f"torch.tensor({stored(value.type, e.scalar(value))}, dtype=torch.{dtype})"
    return e.code.hoist("scalar", text) if e.code.is_literal(e.scalar(value)) else text


def _agree(
    e: Emitter, op: Operation, pairs: Sequence[tuple[View, View]], *, broadcast: bool
) -> None:
    """Emits a comparison of extents that are not known to agree."""
    faults: list[str] = []
    for src, dst in pairs:
        if len(src.shape) > len(dst.shape) or (not broadcast and len(src.shape) < len(dst.shape)):
            faults.append("True")
            continue
        for dim in range(-len(src.shape), 0):
            have, want = src.shape[dim], dst.shape[dim]
            if have != want and not (broadcast and have == 1):
                faults.append(f"{have} != {want}")
    refuse(e, op, faults, [*(src for src, _ in pairs), *(dst for _, dst in pairs[:1])])


def refuse(e: Emitter, op: Operation, faults: Sequence[str], views: Sequence[View]) -> None:
    """Emits a report that extents disagree, under the conditions `faults`."""
    if not faults:
        return
    shapes = ", ".join(f"({view.label!r}, {tuple_text(view.shape)})" for view in views)
    with e.code.block(f"if {' or '.join(dict.fromkeys(faults))}:"):
        e.code.line(f"core.disagree({e.tag(op)}, ({shapes},), {e.iteration()})")
