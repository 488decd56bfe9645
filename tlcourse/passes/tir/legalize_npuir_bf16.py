"""LegalizeNpuirBF16: bfloat16 arithmetic goes through float32."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, BFloat16Type, Float32Type, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before, replace

_Covered = tl.ElementwiseOp | tl.ReduceOp


@dataclass(frozen=True)
class LegalizeNpuirBF16Pass(ModulePass):
    """Computes elementwise ops on bfloat16 in float32 and rounds the result once.

    ```mlir
    tl.vadd ins(%a, %b : bf16 tiles) outs(%c : bf16 tile)
    -->
    tl.vcast "rint" ins(%a) outs(%bf16_src_f32)        // the same for %b
    tl.vadd ins(%bf16_src_f32, ..) outs(%bf16_dst_f32)
    tl.vcast "rint" ins(%bf16_dst_f32) outs(%c)
    ```

    Inside one block a tile that was just computed is read back from its float32 form, so a
    chain keeps float32 precision between its ops; an op that overwrites it whole uses the same
    float32 tile. Each tile has a number of its own, counted through the kernel.

    Comparisons and reductions read float32 as well; a tile of another dtype that they write,
    a mask or positions, stays as it is.

    Differs from upstream: every elementwise op that has float32 and no bfloat16 is covered, the
    polynomials, too; a scalar operand is widened; a part of a buffer is cast anew each time; and
    what was cast is forgotten when its buffer is written, or at a loop or branch. A reduction that
    adds to its destination starts from the old contents.
    """

    name = "LegalizeNpuirBF16"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = _Names()
        for block in [b for inner in op.walk() for r in inner.regions for b in r.blocks]:
            _Legalizer(names).run(block)


@dataclass
class _Names:
    used: int = 0

    def source(self) -> str:
        return f"bf16_src_f32_{self._next()}"

    def destination(self) -> str:
        return f"bf16_dst_f32_{self._next()}"

    def _next(self) -> int:
        self.used += 1
        return self.used - 1


@dataclass
class _Legalizer:
    """Rewrites one block.

    `wide` holds the float32 form of whole buffers; those that an op has computed, and not a
    cast, are in `computed`.
    """

    names: _Names
    wide: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())
    computed: set[SSAValue] = field(default_factory=lambda: set[SSAValue]())

    def run(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, (tl.ElementwiseOp, tl.ReduceOp)) and _is_covered(op):
                self._rewrite(op)
            elif op.regions:
                self.wide.clear()
            else:
                self._forget_written(op)

    def _rewrite(self, op: _Covered) -> None:
        sources = [self._source(op, source) for source in op.sources]
        written = _written(op)
        pairs = [(target, self._target(op, target)) for target in written]
        for target, wide in pairs:
            self._forget(_buffer_of(target))
            if _buffer_of(target) is target and wide is not target:
                self.wide[target] = wide
                self.computed.add(wide)
        back = [tl.CastOp(wide, target) for target, wide in pairs if wide is not target]
        replace(op, [_on(op, sources, [wide for _, wide in pairs]), *back], [])

    def _target(self, op: _Covered, target: SSAValue) -> SSAValue:
        """The float32 tile that the op writes; the tile itself if it is no bfloat16."""
        if not _is_bfloat16(target):
            return target
        if isinstance(op, tl.ReduceOp) and op.reads_destination():
            # The old contents take part, so they come along.
            wide = self._temporary(op, target, self.names.destination())
            insert_before(op, [tl.CastOp(target, wide)])
            return wide
        known = self.wide.get(target)
        if known is not None and known in self.computed and isinstance(op, tl.ElementwiseOp):
            return known
        return self._temporary(op, target, self.names.destination())

    def _source(self, op: _Covered, source: SSAValue) -> SSAValue:
        if not isinstance(source.type, MemRefType):
            widened = arith.ExtFOp(source, Float32Type())
            insert_before(op, [widened])
            return widened.result
        if source not in self.wide:
            wide = self._temporary(op, source, self.names.source())
            insert_before(op, [tl.CastOp(source, wide)])
            if _buffer_of(source) is not source:
                return wide
            self.wide[source] = wide
        return self.wide[source]

    def _temporary(self, op: Operation, like: SSAValue, label: str) -> SSAValue:
        """A float32 tile of the extents of `like`."""
        kind, buffer = _memref(like), _buffer_of(like)
        static = DYNAMIC_INDEX not in kind.get_shape()
        shape = kind.get_shape() if static else _memref(buffer).get_shape()
        alloc = tl.AllocOp(label, tl.buffer_type(shape, Float32Type(), tl.scope_of(like)))
        insert_before(op, [alloc])
        if static:
            return alloc.result
        region = like.owner
        assert isinstance(region, tl.RegionOp), "only a region has extents of the run"
        part = tl.RegionOp(alloc.result, region.offsets, region.extents())
        insert_before(op, [part])
        return part.result

    def _forget_written(self, op: Operation) -> None:
        for operand in _written(op):
            self._forget(_buffer_of(operand))

    def _forget(self, buffer: SSAValue) -> None:
        for known in [value for value in self.wide if _buffer_of(value) is buffer]:
            del self.wide[known]


def _on(op: _Covered, sources: list[SSAValue], written: list[SSAValue]) -> Operation:
    """The same op on other tiles."""
    if isinstance(op, tl.ElementwiseOp):
        return op.on(sources, written[0])
    mode, accumulates = op.mode.data, op.reads_destination()
    return tl.ReduceOp(sources[0], written, mode, op.dimensions(), accumulate=accumulates)


def _written(op: Operation) -> tuple[SSAValue, ...]:
    match op:
        case tl.CopyOp():
            return (op.dst,)
        case tl.ElementwiseOp() | tl.BroadcastOp() | tl.CastOp():
            return (op.destination,)
        case tl.TileOp():
            return tuple(op.destinations)
        case tl.GemmOp():
            return (op.c,)
        case tl.StoreOp():
            return (op.buffer,)
        case _:
            return ()


def _is_covered(op: _Covered) -> bool:
    if isinstance(op, tl.ElementwiseOp) and not op.row.through_float32("bfloat16"):
        return False
    return any(_is_bfloat16(operand) for operand in op.operands)


def _is_bfloat16(value: SSAValue) -> bool:
    kind = value.type
    element = _memref(value).element_type if isinstance(kind, MemRefType) else kind
    return isinstance(element, BFloat16Type)


def _memref(value: SSAValue) -> MemRefType[Attribute]:
    kind = value.type
    assert isinstance(kind, MemRefType)
    return cast("MemRefType[Attribute]", kind)


def _buffer_of(value: SSAValue) -> SSAValue:
    return _buffer_of(value.owner.buffer) if isinstance(value.owner, tl.RegionOp) else value
