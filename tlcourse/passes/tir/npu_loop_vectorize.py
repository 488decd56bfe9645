"""NpuLoopVectorize: element loops become vector operations on tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before
from tlcourse.dialects.signature import mode_of
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.tir.element_loops import (
    Nest,
    Place,
    absorbs,
    nest_of,
    only_store,
    places_of,
)

BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "vadd",
    arith.AddiOp: "vadd",
    arith.SubfOp: "vsub",
    arith.SubiOp: "vsub",
    arith.MulfOp: "vmul",
    arith.MuliOp: "vmul",
    arith.DivfOp: "vdiv",
    arith.MaximumfOp: "vmax",
    arith.MaxSIOp: "vmax",
    arith.MinimumfOp: "vmin",
    arith.MinSIOp: "vmin",
}
UNARY: dict[type[Operation], str] = {
    math.ExpOp: "vexp",
    math.LogOp: "vln",
    math.SqrtOp: "vsqrt",
    math.RsqrtOp: "vrsqrt",
    math.AbsFOp: "vabs",
}
CASTS = (arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.FPToSIOp)
_COMMUTATIVE = ("vadd", "vmul", "vmax", "vmin")


@dataclass(frozen=True)
class NpuLoopVectorizePass(ModulePass):
    """Turns a nest of T.Parallel loops with one store into operations on tiles.

    ```mlir
    tl.for "parallel" %c0 to %c64 { ^bb0(%i: i32):
      %x = tl.load %a[%i]   %y = tl.load %b[%i]   %z = arith.addf %x, %y
      tl.store %z, %c[%i] }
    -->
    tl.vadd ins(%a, %b) outs(%c)
    ```

    A nest that it cannot turn stays a scalar loop nest of kind "serial".

    Differs from upstream: comparisons, choices and loop variables used as numbers stay
    scalar, and so do loads whose dimensions are not those of the stored tile.
    """

    name = "NpuLoopVectorize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scope = "shared" if mode_of(op) == "Expert" else "shared.dyn"
        numbers = _Numbers()
        for loop in [found for found in op.walk() if isinstance(found, tl.ForOp)]:
            if loop.parent is not None and loop.kind.data == "parallel":
                _vectorize(loop, scope, numbers)


@dataclass
class _Numbers:
    temporaries: int = 0


def _vectorize(outer: tl.ForOp, scope: str, numbers: _Numbers) -> None:
    nest = nest_of(outer)
    store = only_store(nest) if nest is not None else None
    if nest is None or store is None:
        _make_serial(outer)
        return
    for depth in range(len(nest.loops)):
        inner = nest.below(depth)
        if _is_vectorizable(inner, store):
            for loop in nest.loops[:depth]:
                loop.kind = StringAttr("serial")
            _Emitter(nest=inner, store=store, scope=scope, numbers=numbers).run()
            return
    _make_serial(outer)


def _make_serial(outer: tl.ForOp) -> None:
    for op in outer.walk():
        if isinstance(op, tl.ForOp) and op.kind.data == "parallel":
            op.kind = StringAttr("serial")


def _is_vectorizable(nest: Nest, store: tl.StoreOp) -> bool:
    places = places_of(nest, store.indices)
    if places is None or not absorbs(nest, store.buffer, places):
        return False
    depths = {place.depth for place in places} - {None}
    return depths == set(range(len(nest.loops))) and _fits(nest, store.value, places)


def _fits(nest: Nest, value: SSAValue, target: Sequence[Place]) -> bool:
    """Whether a value over all iterations is a tile that broadcasts to the stored one."""
    op = value.owner
    if nest.is_invariant(value):
        return True
    if isinstance(op, tl.LoadOp):
        return _load_fits(nest, op, target)
    if isinstance(op, Operation) and (type(op) in BINARY or type(op) in UNARY or _is_cast(op)):
        return all(_fits(nest, operand, target) for operand in op.operands)
    return False


def _load_fits(nest: Nest, load: tl.LoadOp, target: Sequence[Place]) -> bool:
    places = places_of(nest, load.indices)
    if places is None or not absorbs(nest, load.buffer, places) or len(places) != len(target):
        return False
    pairs = zip(places, target, strict=True)
    return all(place.depth is None or place.depth == wanted.depth for place, wanted in pairs)


def _is_cast(op: Operation) -> bool:
    return isinstance(op, CASTS)


@dataclass(kw_only=True)
class _Emitter:
    """Writes the vector ops of one nest in front of it, and removes it."""

    nest: Nest
    store: tl.StoreOp
    scope: str
    numbers: _Numbers
    done: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())

    @property
    def loop(self) -> tl.ForOp:
        """The loop that the vector ops replace."""
        return self.nest.loops[0]

    def run(self) -> None:
        self._hoist()
        self._write(self.store.value, self._region(self.store.buffer, self._stored()))
        self.loop.detach()
        self.loop.erase()

    def _stored(self) -> list[Place]:
        places = places_of(self.nest, self.store.indices)
        assert places is not None, "the nest was checked"
        return places

    def _write(self, value: SSAValue, target: SSAValue) -> None:
        """Computes a value into a tile; global memory is written by a copy."""
        op = value.owner
        if self.nest.is_invariant(value):
            self._fill(value, target)
        elif isinstance(op, tl.LoadOp) and not self._joins_global(op, target):
            self._add(tl.CopyOp(self._source(op), target))
        elif tl.scope_of(target) == "global":
            self._add(tl.CopyOp(self._tile(value), target))
        else:
            assert isinstance(op, Operation)
            self._compute(op, target)

    def _joins_global(self, load: tl.LoadOp, target: SSAValue) -> bool:
        return tl.scope_of(load.buffer) == tl.scope_of(target) == "global"

    def _fill(self, value: SSAValue, target: SSAValue) -> None:
        if tl.scope_of(target) != "global":
            self._add(tl.BroadcastOp(value, target))
            return
        tile = self._temporary(value.type)
        self._add(tl.BroadcastOp(value, tile))
        self._add(tl.CopyOp(tile, target))

    def _compute(self, op: Operation, target: SSAValue) -> None:
        if _is_cast(op):
            self._add(tl.CastOp(self._tile(op.operands[0]), target))
            return
        mnemonic = BINARY.get(type(op)) or UNARY[type(op)]
        self._add(tl.ELEMENTWISE[mnemonic](self._operands(op, mnemonic), target))

    def _operands(self, op: Operation, mnemonic: str) -> list[SSAValue]:
        values = list(op.operands)
        if len(values) == 2 and self.nest.is_invariant(values[0]):
            if mnemonic in _COMMUTATIVE:
                values.reverse()
            else:
                return [self._filled(values[0]), self._tile(values[1])]
        first, *rest = values
        return [self._tile(first), *(self._tile_or_scalar(value) for value in rest)]

    def _tile_or_scalar(self, value: SSAValue) -> SSAValue:
        return value if self.nest.is_invariant(value) else self._tile(value)

    def _tile(self, value: SSAValue) -> SSAValue:
        """A value over all iterations as a tile on the chip."""
        if value not in self.done:
            self.done[value] = self._new_tile(value)
        return self.done[value]

    def _new_tile(self, value: SSAValue) -> SSAValue:
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, tl.LoadOp):
            source = self._source(op)
            if tl.scope_of(source) != "global":
                return source
            tile = self._temporary(value.type, _shape(source))
            self._add(tl.CopyOp(source, tile))
            return tile
        tile = self._temporary(value.type)
        self._compute(op, tile)
        return tile

    def _filled(self, value: SSAValue) -> SSAValue:
        tile = self._temporary(value.type)
        self._add(tl.BroadcastOp(value, tile))
        return tile

    def _source(self, load: tl.LoadOp) -> SSAValue:
        places = places_of(self.nest, load.indices)
        assert places is not None, "the nest was checked"
        return self._region(load.buffer, places)

    def _region(self, buffer: SSAValue, places: Sequence[Place]) -> SSAValue:
        extents = self._extents(places)
        if extents == list(_shape(buffer)) and all(self._starts_at_0(p) for p in places):
            return buffer
        offsets = [self._offset(place) for place in places]
        return self._add(tl.RegionOp(buffer, offsets, extents)).results[0]

    def _extents(self, places: Sequence[Place]) -> list[int]:
        return [1 if place.depth is None else self.nest.count(place.depth) for place in places]

    def _starts_at_0(self, place: Place) -> bool:
        first = 0 if place.depth is None else self.nest.bounds(place.depth)[0]
        return first == 0 and all(constant_of(term) == 0 for _, term in place.terms)

    def _offset(self, place: Place) -> SSAValue:
        first = 0 if place.depth is None else self.nest.bounds(place.depth)[0]
        terms = list(place.terms)
        if first == 0 and terms and terms[0][0] == 1:
            value = terms.pop(0)[1]
        else:
            value = self._add(arith.ConstantOp(IntegerAttr(first, i32))).results[0]
        for sign, term in terms:
            op = arith.AddiOp(value, term) if sign == 1 else arith.SubiOp(value, term)
            value = self._add(op).results[0]
        return value

    def _temporary(self, dtype: Attribute, shape: Sequence[int] | None = None) -> SSAValue:
        label = f"tmp_{self.numbers.temporaries}_buf"
        self.numbers.temporaries += 1
        stored = tl.scope_of(self.store.buffer)
        scope = self.scope if stored == "global" else stored
        extents = self._extents(self._stored()) if shape is None else shape
        kind = tl.buffer_type(extents, dtype, scope)
        return self._add(tl.AllocOp(label, kind)).results[0]

    def _hoist(self) -> None:
        """Moves what is the same in all iterations in front of the nest."""
        for loop in self.nest.loops:
            for op in list(loop.body.block.ops):
                results = op.results
                if results and all(self.nest.is_invariant(result) for result in results):
                    op.detach()
                    insert_before(self.loop, [op])

    def _add(self, op: Operation) -> Operation:
        insert_before(self.loop, [op], like=self.store)
        return op


def _shape(value: SSAValue) -> tuple[int, ...]:
    kind = value.type
    assert isinstance(kind, MemRefType)
    return kind.get_shape()
