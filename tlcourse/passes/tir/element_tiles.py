"""Writing the vector ops of an element loop whose values all have a vector form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.memref import type_of
from tlcourse.dialects.rewriting import insert_before
from tlcourse.dialects.vector_ops import COMPOSITE_OPS
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.tir.element_loops import Nest, Place, places_of
from tlcourse.passes.tir.element_values import (
    BINARY,
    UNARY,
    compare_mode,
    inside_sigmoid,
    is_cast,
    is_name,
)

_COMMUTATIVE = ("vadd", "vmul", "vmax", "vmin")
_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


@dataclass
class Numbers:
    """Running numbers of temporaries, one series for each label."""

    used: dict[str, int] = field(default_factory=lambda: dict[str, int]())

    def label(self, prefix: str) -> str:
        """The next name, for example `tmp_0_buf`."""
        number = self.used.get(prefix, 0)
        self.used[prefix] = number + 1
        return f"{prefix}_{number}_buf"


@dataclass(kw_only=True)
class Emitter:
    """Writes the vector ops of one nest in front of it, and removes it."""

    nest: Nest
    store: tl.StoreOp
    scope: str
    numbers: Numbers
    done: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())
    emitted: list[str] = field(default_factory=lambda: list[str]())

    @property
    def loop(self) -> tl.ForOp:
        """The loop that the vector ops replace."""
        return self.nest.loops[0]

    def run(self) -> list[str]:
        """Puts the vector ops in place of the nest; their names, in order."""
        hoist(self.nest)
        self._write(self.store.value, self._region(self.store.buffer, self._stored()))
        self.loop.detach()
        self.loop.erase()
        return self.emitted

    def _stored(self) -> list[Place]:
        return self._places(self.store.indices)

    def _places(self, indices: Sequence[SSAValue]) -> list[Place]:
        places = places_of(self.nest, indices)
        assert places is not None, "the nest was checked"
        return places

    def _write(self, value: SSAValue, target: SSAValue) -> None:
        """Computes a value into a tile; global memory is written by a copy."""
        op = value.owner
        if self.nest.is_invariant(value):
            self._fill(value, target)
        elif isinstance(op, tl.LoadOp) and self._moves(op, target):
            self._add(tl.CopyOp(self._source(op), target))
        elif tl.scope_of(target) == "global" or self.nest.is_variable(value):
            self._add(tl.CopyOp(self._tile(value), target))
        elif isinstance(op, tl.LoadOp):
            self._add(tl.BroadcastOp(self._copied(op), target))
        else:
            assert isinstance(op, Operation)
            self._compute(op, target)

    def _moves(self, load: tl.LoadOp, target: SSAValue) -> bool:
        """Whether one copy brings a load to the target: it repeats nothing, one end is on chip."""
        joins_global = tl.scope_of(load.buffer) == tl.scope_of(target) == "global"
        return not joins_global and not self._is_narrow(load)

    def _is_narrow(self, load: tl.LoadOp) -> bool:
        """Whether a load stays the same along a dimension of the stored tile."""
        return self._aligned(load) != self._extents(self._stored())

    def _aligned(self, load: tl.LoadOp) -> list[int]:
        """Extents of a load in the dimensions of the stored tile, 1 where it stays the same."""
        depths = {place.depth for place in self._places(load.indices)}
        stored = self._stored()
        kept = [p if p.depth in depths else Place(depth=None, terms=()) for p in stored]
        return self._extents(kept)

    def _fill(self, value: SSAValue, target: SSAValue) -> None:
        if tl.scope_of(target) != "global":
            self._add(tl.BroadcastOp(value, target))
            return
        self._add(tl.CopyOp(self._filled(value), target))

    def _compute(self, op: Operation, target: SSAValue) -> None:
        inner = inside_sigmoid(op)
        match op:
            case _ if inner is not None:
                self._add(tl.ELEMENTWISE["vsigmoid"]([self._whole(inner)], target))
            case arith.CmpfOp() | arith.CmpiOp():
                self._compare(op, target)
            case arith.SelectOp():
                whole = [self._whole(value) for value in op.operands]
                self._add(tl.VselectOp(whole, target))
            case _ if is_cast(op):
                self._add(tl.CastOp(self._tile(op.operands[0]), target))
            case _:
                mnemonic = BINARY.get(type(op)) or UNARY[type(op)]
                self._add(tl.ELEMENTWISE[mnemonic](self._operands(op, mnemonic), target))

    def _compare(self, op: Operation, target: SSAValue) -> None:
        mode, (left, right) = compare_mode(op), op.operands
        if self.nest.is_invariant(left):
            sources, mode = [self._tile(right), left], _SWAPPED[mode]
        else:
            sources = [self._tile(left), self._tile_or_name(right)]
        self._add(tl.VcmpOp(sources, target, mode))

    def _operands(self, op: Operation, mnemonic: str) -> list[SSAValue]:
        first, *rest = op.operands
        if mnemonic in COMPOSITE_OPS:
            return [self._whole(value) for value in op.operands]
        if rest and self.nest.is_invariant(first):
            if mnemonic in _COMMUTATIVE:
                return [self._tile(rest[0]), first]
            return [self._filled(first), self._tile(rest[0])]
        return [self._tile(first), *(self._tile_or_name(value) for value in rest)]

    def _tile_or_name(self, value: SSAValue) -> SSAValue:
        """A tile; a scalar stays one if nothing has to be computed or loaded for it."""
        is_scalar = self.nest.is_invariant(value) and is_name(value)
        return value if is_scalar else self._whole(value)

    def _whole(self, value: SSAValue) -> SSAValue:
        """A value as a tile; a scalar fills one."""
        return self._filled(value) if self.nest.is_invariant(value) else self._tile(value)

    def _tile(self, value: SSAValue) -> SSAValue:
        """A value over all iterations as a tile on the chip, of the stored tile's extents."""
        if value not in self.done:
            self.done[value] = self._new_tile(value)
        return self.done[value]

    def _new_tile(self, value: SSAValue) -> SSAValue:
        op = value.owner
        if self.nest.is_variable(value):
            return self._numbered(value)
        assert isinstance(op, Operation)
        if isinstance(op, tl.LoadOp):
            return self._loaded(op)
        tile = self._temporary(value.type)
        self._compute(op, tile)
        return tile

    def _loaded(self, load: tl.LoadOp) -> SSAValue:
        """A load as a tile on the chip: the part itself, or a copy that is repeated."""
        source = self._source(load)
        is_direct = list(_shape(source)) == self._extents(self._stored())
        if is_direct and tl.scope_of(source) != "global":
            return source
        return self._repeated(self._copied(load, "tmp" if is_direct else "local_src"))

    def _copied(self, load: tl.LoadOp, prefix: str = "local_src") -> SSAValue:
        """A copy of a load, with an extent of 1 in each dimension that it does not have."""
        source, aligned = self._source(load), self._aligned(load)
        tile = self._temporary(load.result.type, _shape(source), prefix)
        self._add(tl.CopyOp(source, tile))
        if list(_shape(source)) == aligned:
            return tile
        view = self._temporary(load.result.type, aligned, "reshape_view")
        self._add(tl.ReshapeOp(tile, view))
        return view

    def _numbered(self, variable: SSAValue) -> SSAValue:
        """The loop variable of every element."""
        stored = self._stored()
        axis = next(i for i, p in enumerate(stored) if self._variable(p) is variable)
        depth = stored[axis].depth
        assert depth is not None, "the axis has a variable"
        zero, one, first = (
            self._add(arith.ConstantOp(IntegerAttr(number, i32))).results[0]
            for number in (0, 1, self.nest.bounds(depth)[0])
        )
        tile = self._temporary(i32, prefix="arange")
        strides = [one if i == axis else zero for i in range(len(stored))]
        self._add(tl.ArangeOp(tile, strides, first))
        return tile

    def _variable(self, place: Place) -> SSAValue | None:
        return None if place.depth is None else self.nest.loops[place.depth].variable

    def _filled(self, value: SSAValue) -> SSAValue:
        tile = self._temporary(value.type)
        self._add(tl.BroadcastOp(value, tile))
        return tile

    def _repeated(self, tile: SSAValue) -> SSAValue:
        """A tile as large as the stored one; rows of extent 1 are repeated."""
        extents = self._extents(self._stored())
        if list(_shape(tile)) == extents:
            return tile
        whole = self._temporary(type_of(tile).element_type, extents, "brc")
        self._add(tl.BroadcastOp(tile, whole))
        return whole

    def _source(self, load: tl.LoadOp) -> SSAValue:
        return self._region(load.buffer, self._places(load.indices))

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

    def _temporary(
        self, dtype: Attribute, shape: Sequence[int] | None = None, prefix: str = "tmp"
    ) -> SSAValue:
        stored = tl.scope_of(self.store.buffer)
        scope = self.scope if stored == "global" else stored
        extents = self._extents(self._stored()) if shape is None else shape
        kind = tl.buffer_type(extents, dtype, scope)
        return self._add(tl.AllocOp(self.numbers.label(prefix), kind)).results[0]

    def _add(self, op: Operation) -> Operation:
        insert_before(self.loop, [op], like=self.store)
        if not isinstance(op, (tl.AllocOp, tl.RegionOp)) and op.name.startswith("tl."):
            self.emitted.append(op.name.removeprefix("tl."))
        return op


def hoist(nest: Nest) -> None:
    """Moves what is the same in all iterations in front of the nest."""
    for loop in nest.loops:
        for op in list(loop.body.block.ops):
            results = op.results
            if results and all(nest.is_invariant(result) for result in results):
                op.detach()
                insert_before(nest.loops[0], [op])


def _shape(value: SSAValue) -> tuple[int, ...]:
    kind = value.type
    assert isinstance(kind, MemRefType)
    return kind.get_shape()
