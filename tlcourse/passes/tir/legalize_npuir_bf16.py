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

_BINARY = ("vadd", "vmul", "vmax", "vmin", "vdiv", "vsub")
_UNARY = ("vexp", "vrelu", "vln", "vsqrt", "vrsqrt", "vabs", "vrec")


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
    chain keeps float32 precision between its ops.

    Differs from upstream: comparisons and reductions are left to their own ops.
    """

    name = "LegalizeNpuirBF16"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = _Names()
        for block in [b for inner in op.walk() for r in inner.regions for b in r.blocks]:
            _Legalizer(names).run(block)


@dataclass
class _Names:
    sources: int = 0
    destinations: int = 0

    def source(self) -> str:
        self.sources += 1
        return f"bf16_src_f32_{self.sources - 1}"

    def destination(self) -> str:
        self.destinations += 1
        return f"bf16_dst_f32_{self.destinations - 1}"


@dataclass
class _Legalizer:
    """Rewrites one block; `wide` holds the float32 form of whole buffers."""

    names: _Names
    wide: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())

    def run(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, tl.ElementwiseOp) and _is_covered(op):
                self._rewrite(op)
            elif op.regions:
                self.wide.clear()
            else:
                self._forget_written(op)

    def _rewrite(self, op: tl.ElementwiseOp) -> None:
        sources = [self._source(op, source) for source in op.sources]
        destination = op.destination
        wide = self._temporary(op, destination, self.names.destination())
        self._forget(_buffer_of(destination))
        if _buffer_of(destination) is destination:
            self.wide[destination] = wide
        replace(op, [type(op)(sources, wide), tl.CastOp(wide, destination)], [])

    def _source(self, op: tl.ElementwiseOp, source: SSAValue) -> SSAValue:
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


def _written(op: Operation) -> tuple[SSAValue, ...]:
    match op:
        case tl.CopyOp():
            return (op.dst,)
        case tl.ElementwiseOp() | tl.BroadcastOp() | tl.CastOp():
            return (op.destination,)
        case tl.GemmOp():
            return (op.c,)
        case tl.StoreOp():
            return (op.buffer,)
        case _:
            return ()


def _is_covered(op: tl.ElementwiseOp) -> bool:
    return op.row.mnemonic in _BINARY + _UNARY and isinstance(
        _memref(op.destination).element_type, BFloat16Type
    )


def _memref(value: SSAValue) -> MemRefType[Attribute]:
    kind = value.type
    assert isinstance(kind, MemRefType)
    return cast("MemRefType[Attribute]", kind)


def _buffer_of(value: SSAValue) -> SSAValue:
    return _buffer_of(value.owner.buffer) if isinstance(value.owner, tl.RegionOp) else value
