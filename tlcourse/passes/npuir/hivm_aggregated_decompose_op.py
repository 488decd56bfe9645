"""Pass hivm-aggregated-decompose-op: ops that only arrange tiles become copies and fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation

from tlcourse.dialects.hivm.dma import CopyOp, LoadOp, ND2NZOp
from tlcourse.dialects.hivm.shapes import VConcatOp, VPadOp
from tlcourse.dialects.hivm.vector import VBrcOp
from tlcourse.dialects.memref import subview
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import Extent, extents_of, kind_of, mixed
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.prefill import filled_and_loaded, fills_first
from tlcourse.passes.npuir.simplify import constant

EVERY_PHASE = "no-constraint"
# Where in upstream's pipeline each op is taken apart.
_PHASES: dict[type[Operation], str] = {
    VConcatOp: "after-hivm-align",
    VPadOp: "before-hivm-align",
    LoadOp: "before-hivm-align",
    ND2NZOp: "after-infer-hivm-data-layout",
}
_PARTED = (VConcatOp, VPadOp, LoadOp, ND2NZOp)


@dataclass(frozen=True)
class HivmAggregatedDecomposeOpPass(DevicePass):
    """Takes vconcat, vpad and loads that fill their buffer first apart.

    ```
    vconcat dim(1) ins(%a, %b) outs(%c)   -->   copy ins(%a) outs(%c[0, 0] [32, 32])
                                                copy ins(%b) outs(%c[0, 32] [32, 32])

    vpad ins(%a) outs(%c)                 -->   vbrc ins(%v) outs(%c[0, 0] [16, 32])
      low[16, 0] high[16, 0]                    vbrc ins(%v) outs(%c[48, 0] [16, 32])
      pad_value %v                              copy ins(%a) outs(%c[16, 0] [32, 32])
    ```

    Algorithm: each source of vconcat is copied behind the one before. Around the source of
    vpad each dimension has a slab in front and one behind; the slabs of a dimension are as
    wide as the source in the dimensions before it, so no two of them overlap. Negative lengths
    cut the source off, where all lengths are numbers.

    A load with `init_out_buffer = true` becomes a fill of the whole buffer and a load. Of nd2nz
    that is so only after the layouts are known, in phase after-infer-hivm-data-layout.

    With `decompose-phase` only the ops of that point of upstream's pipeline, where the pass
    runs seven times, are taken apart.

    Differs from upstream: there the pass also takes apart casts and reductions in several
    steps, which code generation and the vector units do here.
    """

    name = "hivm-aggregated-decompose-op"

    decompose_phase: str = EVERY_PHASE

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if not isinstance(op, _PARTED) or not isinstance(op.dst.type, MemRefType):
                continue
            if self.decompose_phase not in (EVERY_PHASE, _PHASES[type(op)]):
                continue
            if isinstance(op, VConcatOp):
                replace(op, list(_joined(function, op)))
            elif isinstance(op, VPadOp):
                replace(op, list(_padded(function, op)))
            elif fills_first(op) and not (
                isinstance(op, ND2NZOp) and self.decompose_phase == EVERY_PHASE
            ):
                replace(op, list(filled_and_loaded(op)))


def _joined(function: func.FuncOp, op: VConcatOp) -> Iterator[Operation]:
    dim, start = op.dim.value.data, _Sum(function, 0, 0)
    rank = len(kind_of(op.dst).get_shape())
    for source in op.src:
        offsets: list[Extent] = [0] * rank
        sizes = extents_of(source)
        part = subview(op.dst, _with(offsets, dim, start.value), sizes)
        yield from (part, CopyOp(source, part.result))
        start = _Sum(function, start.value, sizes[dim])
        yield from start.ops


def _padded(function: func.FuncOp, op: VPadOp) -> Iterator[Operation]:
    low, high = mixed(op.static_low, op.low), mixed(op.static_high, op.high)
    if all(amount == 0 for amount in (*low, *high)):
        yield CopyOp(op.src, op.dst)
        return
    sizes, targets, taken = extents_of(op.dst), extents_of(op.dst), extents_of(op.src)
    offsets: list[Extent] = [0] * len(sizes)
    skipped: list[Extent] = [0] * len(sizes)
    for dim, extent in enumerate(taken):
        piece = _Piece(function, (low[dim], high[dim]), extent, targets[dim])
        yield from piece.ops
        for amount, (start, size) in ((low[dim], piece.front), (high[dim], piece.behind)):
            if amount != 0:
                part = subview(op.dst, _with(offsets, dim, start), _with(sizes, dim, size))
                yield from (part, VBrcOp(op.pad_value, part.result))
        offsets, sizes = _with(offsets, dim, piece.front[1]), _with(sizes, dim, piece.kept)
        skipped = _with(skipped, dim, piece.skipped)
    source = subview(op.src, skipped, sizes)
    target = subview(op.dst, offsets, sizes)
    yield from (source, target, CopyOp(source.result, target.result))


class _Piece:
    """One dimension of a padded tile: the slab in front, what is kept of the source, the rest.

    Negative lengths cut off, possibly all of the source; no part leaves the target then.
    """

    def __init__(
        self, function: func.FuncOp, pads: tuple[Extent, Extent], extent: Extent, target: Extent
    ) -> None:
        low, high = pads
        self.ops: tuple[Operation, ...] = ()
        self.skipped: Extent = 0
        self.kept = extent
        self.front: tuple[Extent, Extent] = (0, low)
        if isinstance(low, int) and isinstance(extent, int) and isinstance(target, int):
            front, end = _within(low, target), _within(low + extent, target)
            self.skipped, self.kept = _within(-low, extent), end - front
            self.front, self.behind = (0, front), (end, target - end)
            return
        end = _Sum(function, low, extent)
        self.ops, self.behind = end.ops, (end.value, high)


def _within(place: int, extent: int) -> int:
    return max(0, min(place, extent))


class _Sum:
    """Two extents added up, at compile time where both are numbers."""

    def __init__(self, function: func.FuncOp, left: Extent, right: Extent) -> None:
        self.ops: tuple[Operation, ...] = ()
        self.value: Extent
        if isinstance(left, int) and isinstance(right, int):
            self.value = left + right
            return
        first, second = (
            constant(function, term, IndexType()) if isinstance(term, int) else term
            for term in (left, right)
        )
        total = arith.AddiOp(first, second)
        self.ops, self.value = (total,), total.result


def _with(extents: Sequence[Extent], dim: int, extent: Extent) -> list[Extent]:
    return [extent if axis == dim else other for axis, other in enumerate(extents)]
