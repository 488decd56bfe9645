"""How reductions and transpositions that no instruction does become several that one does."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.dialects.temporaries import bounds_of, extents_of, temporary


def expand_reduce(op: tl.ReduceOp) -> None:
    """Splits |x| and the joining with the old contents from a reduction.

    ```mlir
    tl.reduce accumulate "abssum" ins(%src) outs(%dst)
    -->
    tl.vabs ins(%src) outs(%magnitude)
    tl.reduce "sum" ins(%magnitude) outs(%reduced)
    tl.vadd ins(%dst, %reduced) outs(%dst)
    ```

    The source keeps its numbers.
    """
    mode, dims = op.mode.data, op.dimensions()
    if mode not in tl.ABS_MODES and op.accumulate is None:
        return
    source, destination = op.sources[0], op.destinations[0]
    if mode in tl.ABS_MODES:
        magnitude = _like(op, "magnitude", source)
        insert_before(op, [tl.ELEMENTWISE["vabs"]([source], magnitude)])
        source = magnitude
    plain = tl.ABS_MODES.get(mode, mode)
    if op.accumulate is None:
        replace(op, [tl.ReduceOp(source, [destination], plain, dims)], [])
        return
    reduced = _like(op, "reduced", destination)
    join = tl.ELEMENTWISE[tl.JOINING[mode]]([destination, reduced], destination)
    replace(op, [tl.ReduceOp(source, [reduced], plain, dims), join], [])


def expand_transpose(op: tl.TransposeOp) -> None:
    """Makes a copy or exchanges of two dimensions of a permutation: what `vtranspose` does."""
    source, destination = op.sources[0], op.destinations[0]
    swaps, in_place = _swaps(op.order()), source is destination
    if len(swaps) == 1 and not in_place:
        return
    steps: list[Operation] = []
    for number, (a, b) in enumerate(swaps):
        exchange = _exchange(len(op.order()), a, b)
        is_last = number == len(swaps) - 1 and not (in_place and number == 0)
        target = destination if is_last else _turned(op, source, exchange)
        steps.append(tl.TransposeOp(source, target, exchange))
        source = target
    if source is not destination:
        steps.append(tl.CopyOp(source, destination))
    replace(op, steps, [])


def _like(op: Operation, label: str, tile: SSAValue) -> SSAValue:
    return temporary(op, label, extents_of(tile), bounds_of(tile), tile)


def _turned(op: Operation, tile: SSAValue, order: Sequence[int]) -> SSAValue:
    """A fresh tile whose dimension i has the extent of the tile's dimension `order[i]`."""
    extents, bounds = extents_of(tile), bounds_of(tile)
    turned = [extents[dim] for dim in order], [bounds[dim] for dim in order]
    return temporary(op, "turned", *turned, tile)


def _swaps(order: Sequence[int]) -> list[tuple[int, int]]:
    """Exchanges of two dimensions that together make a permutation."""
    current, swaps = list(range(len(order))), list[tuple[int, int]]()
    for dim, wanted in enumerate(order):
        if current[dim] != wanted:
            other = current.index(wanted)
            current[dim], current[other] = current[other], current[dim]
            swaps.append((dim, other))
    return swaps


def _exchange(rank: int, a: int, b: int) -> list[int]:
    order = list(range(rank))
    order[a], order[b] = b, a
    return order
