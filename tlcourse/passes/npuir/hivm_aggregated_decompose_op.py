"""Pass hivm-aggregated-decompose-op: ops that only arrange tiles become copies and fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation

from tlcourse.dialects.hivm.dma import CopyOp
from tlcourse.dialects.hivm.shapes import VConcatOp, VPadOp
from tlcourse.dialects.hivm.vector import VBrcOp
from tlcourse.dialects.memref import subview
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import Extent, extents_of, kind_of, mixed
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.simplify import constant

EVERY_PHASE = "no-constraint"
# Where in upstream's pipeline each op is taken apart.
_PHASES: dict[type[Operation], str] = {
    VConcatOp: "after-hivm-align",
    VPadOp: "before-hivm-align",
}


@dataclass(frozen=True)
class HivmAggregatedDecomposeOpPass(DevicePass):
    """Takes vconcat and vpad apart.

    ```
    vconcat dim(1) ins(%a, %b) outs(%c)   -->   copy ins(%a) outs(%c[0, 0] [32, 32])
                                                copy ins(%b) outs(%c[0, 32] [32, 32])

    vpad ins(%a) outs(%c)                 -->   vbrc ins(%v) outs(%c[0, 0] [16, 32])
      low[16, 0] high[16, 0]                    vbrc ins(%v) outs(%c[48, 0] [16, 32])
      pad_value %v                              copy ins(%a) outs(%c[16, 0] [32, 32])
    ```

    Algorithm: each source of vconcat is copied behind the one before. Around the source of
    vpad each dimension has a slab in front and one behind; the slabs of a dimension are as
    wide as the source in the dimensions before it, so no two of them overlap.

    With `decompose-phase` only the ops of that point of upstream's pipeline, where the pass
    runs seven times, are taken apart.

    Differs from upstream: there the pass also takes apart casts and reductions in several
    steps, which code generation and the vector units do here.
    """

    name = "hivm-aggregated-decompose-op"

    decompose_phase: str = EVERY_PHASE

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if not isinstance(op, VConcatOp | VPadOp) or not isinstance(op.dst.type, MemRefType):
                continue
            if self.decompose_phase not in (EVERY_PHASE, _PHASES[type(op)]):
                continue
            parts = _joined(function, op) if isinstance(op, VConcatOp) else _padded(function, op)
            replace(op, list(parts))


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
    sizes = extents_of(op.dst)
    offsets: list[Extent] = [0] * len(sizes)
    for dim, extent in enumerate(extents_of(op.src)):
        behind = _Sum(function, low[dim], extent)
        yield from behind.ops
        for start, size in ((0, low[dim]), (behind.value, high[dim])):
            if size != 0:
                part = subview(op.dst, _with(offsets, dim, start), _with(sizes, dim, size))
                yield from (part, VBrcOp(op.pad_value, part.result))
        offsets, sizes = _with(offsets, dim, low[dim]), _with(sizes, dim, extent)
    part = subview(op.dst, offsets, sizes)
    yield from (part, CopyOp(op.src, part.result))


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
