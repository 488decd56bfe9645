"""Writes the steps of a composite op in front of it: temporaries, constants, basic ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before
from tlcourse.dialects.temporaries import bounds_of, extents_of, temporary

Op = TypeVar("Op", bound=Operation)


class Workbench:
    """The place in front of one composite op; its steps bear its location."""

    def __init__(self, op: tl.ElementwiseOp) -> None:
        self._op = op

    def add(self, step: Op) -> Op:
        """Adds an op in front of the composite."""
        insert_before(self._op, [step])
        return step

    def compute(
        self, mnemonic: str, sources: Sequence[SSAValue | float], destination: SSAValue
    ) -> None:
        """Adds a vector op; a Python number becomes a constant of the destination's dtype."""
        element = tl.memref_of(destination).element_type
        values = [
            source if isinstance(source, SSAValue) else self.constant(source, element)
            for source in sources
        ]
        self.add(tl.ELEMENTWISE[mnemonic](values, destination))

    def constant(self, number: float, element: Attribute) -> SSAValue:
        """A constant of an element type."""
        if isinstance(element, IntegerType):
            kind = cast("IntegerType", element)
            return self.add(arith.ConstantOp(IntegerAttr(int(number), kind))).result
        return self.add(arith.ConstantOp(FloatAttr(number, cast("AnyFloat", element)))).result

    def temporary(self, element: Attribute | None = None) -> SSAValue:
        """A fresh tile of the destination's extents, of its dtype or another one."""
        like = self._op.destination
        label = f"{self._op.row.mnemonic}_tmp"
        return temporary(self._op, label, extents_of(like), bounds_of(like), like, element)

    def filled(self, source: SSAValue) -> SSAValue:
        """A tile of the destination's extents, filled with a scalar or repeated from a tile."""
        is_tile = isinstance(source.type, MemRefType)
        tile = self.temporary(tl.memref_of(source).element_type if is_tile else source.type)
        self.add(tl.BroadcastOp(source, tile))
        return tile
