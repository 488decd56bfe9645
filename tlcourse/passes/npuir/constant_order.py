"""Constants of a function in upstream's order, which its rewriting leaves behind.

A constant stays where it is if only constants stand before it; any other moves to the very
front. So later ones stand before earlier ones, and the first behind those that were at the top.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects.rewriting import replace


@dataclass
class ConstantOrder:
    """The constants of one function, each value once."""

    function: func.FuncOp
    known: dict[Attribute, arith.ConstantOp] = field(
        default_factory=lambda: dict[Attribute, arith.ConstantOp]()
    )

    @classmethod
    def of(cls, function: func.FuncOp) -> ConstantOrder:
        """Brings the constants of a function into order, and drops those that nobody reads."""
        order = cls(function)
        for op in list(function.walk()):
            if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
                order._take(op)
        return order

    def get(self, value: IntegerAttr, name: str, before: Operation) -> SSAValue:
        """The constant of a value; a new one is made in front of an op, and put in order."""
        if value not in self.known:
            fresh = arith.ConstantOp(value)
            fresh.result.name_hint = name
            Rewriter.insert_op(fresh, InsertPoint.before(before))
            self._place(fresh)
        return self.known[value].result

    def _take(self, op: arith.ConstantOp) -> None:
        if op.result.first_use is None:
            op.detach()
            op.erase()
        elif op.value in self.known:
            replace(op, [], [self.known[op.value].result])
        else:
            self._place(op)

    def _place(self, op: arith.ConstantOp) -> None:
        before = op.prev_op
        top = self.function.body.blocks.first
        assert top is not None
        follows = isinstance(before, arith.ConstantOp) and before in self.known.values()
        if op.parent is not top or not (before is None or follows):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.at_start(top))
        self.known[op.value] = op
