"""Reading a nest of T.Parallel loops: what it stores, and which tile each load stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tlcourse.dialects import tl
from tlcourse.passes.npuir.folding import constant_of


@dataclass(frozen=True, kw_only=True)
class Place:
    """An index: a loop variable (by its depth in the nest) or none, plus invariant terms.

    Args:
        depth: which loop's variable; none for an invariant index.
        terms: values to add, with their sign.
    """

    depth: int | None
    terms: tuple[tuple[int, SSAValue], ...]


@dataclass(frozen=True, kw_only=True)
class Nest:
    """Perfectly nested parallel loops, outermost first; most questions need constant bounds."""

    loops: tuple[tl.ForOp, ...]

    @property
    def body(self) -> Block:
        """The innermost body."""
        return self.loops[-1].body.block

    def count(self, depth: int) -> int:
        """Number of iterations of a loop."""
        lower, upper = self.bounds(depth)
        return upper - lower

    def bounds(self, depth: int) -> tuple[int, int]:
        """First value and end of a loop."""
        loop = self.loops[depth]
        lower, upper = constant_of(loop.lower), constant_of(loop.upper)
        assert lower is not None, "nests have constant bounds"
        assert upper is not None, "nests have constant bounds"
        return lower, upper

    def range_of(self, place: Place) -> tuple[int, int] | None:
        """First value and end of an index, where they are known."""
        first, end = (0, 1) if place.depth is None else self.bounds(place.depth)
        shift = 0
        for sign, term in place.terms:
            number = constant_of(term)
            if number is None:
                return None
            shift += sign * number
        return first + shift, end + shift

    def is_variable(self, value: SSAValue) -> bool:
        """Whether a value is one of the loop variables."""
        return any(value is loop.variable for loop in self.loops)

    def is_constant(self) -> bool:
        """Whether all bounds are known."""
        bounds = [bound for loop in self.loops for bound in (loop.lower, loop.upper)]
        return all(constant_of(bound) is not None for bound in bounds)

    def below(self, depth: int) -> Nest:
        """The loops from a depth inwards."""
        return Nest(loops=self.loops[depth:])

    def place(self, index: SSAValue) -> Place | None:
        """An index as a loop variable plus invariant terms; none if it is neither."""
        if self.is_invariant(index):
            return Place(depth=None, terms=((1, index),))
        for depth, loop in enumerate(self.loops):
            if index is loop.variable:
                return Place(depth=depth, terms=())
        return self._shifted(index.owner)

    def is_invariant(self, value: SSAValue) -> bool:
        """Whether a value is the same in all iterations: nothing in the nest decides it."""
        owner = value.owner
        if isinstance(owner, Block):
            return all(owner is not loop.body.block for loop in self.loops)
        if not self._holds(owner):
            return True
        if not (isinstance(owner, tl.LoadOp) or is_pure(owner)):
            return False
        return all(self.is_invariant(operand) for operand in owner.operands)

    def _shifted(self, op: Operation | Block) -> Place | None:
        if not isinstance(op, (arith.AddiOp, arith.SubiOp)):
            return None
        sign = 1 if isinstance(op, arith.AddiOp) else -1
        left, right = op.lhs, op.rhs
        if sign == 1 and self.is_invariant(left):
            left, right = right, left
        base = self.place(left)
        if base is None or base.depth is None or not self.is_invariant(right):
            return None
        return Place(depth=base.depth, terms=(*base.terms, (sign, right)))

    def _holds(self, op: Operation) -> bool:
        return any(op.parent_block() is loop.body.block for loop in self.loops)


def is_pure(op: Operation) -> bool:
    """Whether an op has no effect but its results; xDSL does not know it of every conversion."""
    return is_side_effect_free(op) or isinstance(op, arith.ExtSIOp)


def nest_of(outer: tl.ForOp) -> Nest:
    """The perfect nest of parallel loops that starts at a loop."""
    loops: list[tl.ForOp] = []
    op: Operation | None = outer
    while isinstance(op, tl.ForOp) and op.kind.data == "parallel":
        loops.append(op)
        op = _only_loop(op.body.block)
    return Nest(loops=tuple(loops))


def only_store(nest: Nest) -> tl.StoreOp | None:
    """The store of a body that is one statement."""
    return None if why_no_store(nest) else next(_stores(nest))


def why_no_store(nest: Nest) -> str:
    """Why a body is not one store of a value; empty if it is. A let makes it several."""
    count = len(list(_stores(nest)))
    for op in nest.body.ops:
        if isinstance(op, scf.IfOp):
            return "branch on data"
        if isinstance(op, tl.ForOp):
            return "a loop inside its body"
        if isinstance(op, tl.LetOp):
            return f"the name {op.label.data} in its body"
        if not isinstance(op, (tl.StoreOp, tl.LoadOp)) and not is_pure(op):
            return f"{op.name} in its body"
    return "" if count == 1 else f"{count} statements in its body"


def _stores(nest: Nest) -> Iterator[tl.StoreOp]:
    return (op for op in nest.body.ops if isinstance(op, tl.StoreOp))


def places_of(nest: Nest, indices: Sequence[SSAValue]) -> list[Place] | None:
    """Places of all indices of an access; none if one is more than a shifted variable."""
    places = [nest.place(index) for index in indices]
    found = [place for place in places if place is not None]
    depths = [place.depth for place in found if place.depth is not None]
    return found if len(found) == len(places) and len(set(depths)) == len(depths) else None


def absorbs(nest: Nest, buffer: SSAValue, places: Sequence[Place]) -> bool:
    """Whether an access, taken over all iterations, is a tile that one vector op can walk.

    From the innermost loop outwards: what lies behind its dimension is the whole extent.
    """
    kind = buffer.type
    assert isinstance(kind, MemRefType)
    shape = kind.get_shape()
    order = [place.depth for place in places if place.depth is not None]
    if order != sorted(order):
        return False
    first = next((axis for axis, p in enumerate(places) if p.depth is not None), len(places))
    return all(_is_full(nest, places[axis], shape[axis]) for axis in range(first + 1, len(places)))


def ends_in_ones(nest: Nest, buffer: SSAValue, places: Sequence[Place]) -> bool:
    """Whether nothing but extents of 1 lies behind the dimension of the innermost loop.

    That is enough for a load that misses a loop: it is copied out of its buffer first.
    """
    shape = tl.memref_of(buffer).get_shape()
    inner = len(nest.loops) - 1
    axis = next((axis for axis, p in enumerate(places) if p.depth == inner), len(places))
    return all(extent == 1 for extent in shape[axis + 1 :])


def _is_full(nest: Nest, place: Place, extent: int) -> bool:
    if extent == 1:
        return True
    if place.depth is None or place.terms:
        return False
    return nest.bounds(place.depth) == (0, extent)


def _only_loop(block: Block) -> Operation | None:
    ops = list(block.ops)
    loops = [op for op in ops if isinstance(op, tl.ForOp)]
    others = [op for op in ops if not isinstance(op, tl.ForOp)]
    is_perfect = len(loops) == 1 and all(isinstance(op, arith.ConstantOp) for op in others)
    return loops[0] if is_perfect else None
