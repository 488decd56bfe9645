"""The operators of scalar expressions: one row an operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.language.builder import builder
from tlcourse.language.dtype_rules import is_float, is_unsigned

Maker = Callable[[SSAValue, SSAValue], Operation]
NUMBERS = ("int", "float")


@dataclass(frozen=True, kw_only=True)
class Binary:
    """One operator.

    Args:
        integer: op on signed integers.
        unsigned: op on unsigned integers and bool; the signed one if left out.
        floating: op on floats.
        kinds: kinds of dtype that the operator takes: `int`, `float`, `bool`.
        why: why other kinds are refused.
        fix: what to write instead.
    """

    integer: Maker | None = None
    unsigned: Maker | None = None
    floating: Maker | None = None
    kinds: tuple[str, ...] = NUMBERS
    why: str = "the operator has no meaning for this dtype"
    fix: str = "convert the operands with T.cast first"

    def emit(self, left: SSAValue, right: SSAValue, dtype: str) -> SSAValue:
        """Emits the operator on two values of `dtype`."""
        maker = self._maker(dtype)
        assert maker is not None, "the dtype was checked against `kinds`"
        return builder().emit(maker(left, right)).results[0]

    def _maker(self, dtype: str) -> Maker | None:
        if is_float(dtype):
            return self.floating
        return self.unsigned or self.integer if is_unsigned(dtype) else self.integer


def _floor_mod(left: SSAValue, right: SSAValue) -> Operation:
    if left.type == i32:
        return tl.FloorModOp(left, right)
    quotient = builder().emit(arith.FloorDivSIOp(left, right)).result
    product = builder().emit(arith.MuliOp(quotient, right)).result
    return arith.SubiOp(left, product)


def _whole(integer: Maker, unsigned: Maker) -> Binary:
    return Binary(
        integer=integer,
        unsigned=unsigned,
        kinds=("int",),
        why="only integers have a floor division and a remainder in a kernel",
        fix="convert with T.cast(.., 'int32') first, or divide with `/`",
    )


def _bits(
    integer: Maker, unsigned: Maker | None = None, kinds: tuple[str, ...] = ("int", "bool")
) -> Binary:
    return Binary(
        integer=integer,
        unsigned=unsigned,
        kinds=kinds,
        why="bits are combined on integers and bool only",
        fix="use `and`, `or`, `not` for conditions, T.cast for numbers",
    )


BINARY: dict[str, Binary] = {
    "+": Binary(integer=arith.AddiOp, floating=arith.AddfOp),
    "-": Binary(integer=arith.SubiOp, floating=arith.SubfOp),
    "*": Binary(integer=arith.MuliOp, floating=arith.MulfOp),
    "/": Binary(
        floating=arith.DivfOp,
        kinds=("float",),
        why="`/` divides floating point numbers; on integers upstream has no code for it",
        fix="write `//` for a whole quotient, or T.cast(x, 'float32') / y",
    ),
    "//": _whole(arith.FloorDivSIOp, arith.DivUIOp),
    "%": _whole(_floor_mod, arith.RemUIOp),
    "&": _bits(arith.AndIOp),
    "|": _bits(arith.OrIOp),
    "^": _bits(arith.XOrIOp),
    "<<": _bits(arith.ShLIOp, kinds=("int",)),
    ">>": _bits(arith.ShRSIOp, arith.ShRUIOp, kinds=("int",)),
    "min": Binary(integer=arith.MinSIOp, unsigned=arith.MinUIOp, floating=arith.MinimumfOp),
    "max": Binary(integer=arith.MaxSIOp, unsigned=arith.MaxUIOp, floating=arith.MaximumfOp),
}

# symbol: predicates for signed integers, unsigned integers and floats. NaN equals nothing.
COMPARE: dict[str, tuple[str, str, str]] = {
    "<": ("slt", "ult", "olt"),
    "<=": ("sle", "ule", "ole"),
    ">": ("sgt", "ugt", "ogt"),
    ">=": ("sge", "uge", "oge"),
    "==": ("eq", "eq", "oeq"),
    "!=": ("ne", "ne", "une"),
}
