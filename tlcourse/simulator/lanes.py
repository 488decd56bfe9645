"""Numbers of many blocks at once: the block that stands for its class, and all that are like it.

The generated code of one block runs with its number as a `Lanes`: what follows from it is known
for each block of the class, a lane each. The code goes on with the value of the first lane.
Where something cannot depend on the block, as the turns of a loop, and yet does, the class is
marked as unlike, and its blocks run one by one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Number = Any
_Combine = Callable[[Any, Any], Any]
_LARGEST = 1 << 62


class LaneGroup:
    """The blocks of a class that run together.

    Args:
        blocks: their numbers; the first is the one that is run and checked.
    """

    def __init__(self, blocks: Sequence[int]) -> None:
        self.blocks = np.array(blocks, dtype=np.int64)
        self.is_alike = True

    def numbers(self) -> Lanes | int:
        """The number of the block, for each lane."""
        return _lanes(self, self.blocks)


class Lanes:
    """An integer for each lane, not all of them equal."""

    __slots__ = ("_largest", "group", "value", "values")

    def __init__(self, group: LaneGroup, values: Values) -> None:
        self.group = group
        self.values = values
        self.value = int(values[0])
        self._largest = -1

    def part(self) -> int:
        """The first lane's number, where all lanes should have one: they are not alike."""
        self.group.is_alike = False
        return self.value

    __int__ = __index__ = part

    def __float__(self) -> float:
        return float(self.part())

    def __bool__(self) -> bool:
        return self._truth(self.values != 0)

    # Tiles are kept by what they were cut with; equal numbers of other lanes are other numbers.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or self._compare(other, operator.eq)

    def __ne__(self, other: object) -> bool:
        return self is not other and self._compare(other, operator.ne)

    def __lt__(self, other: object) -> bool:
        return self._compare(other, operator.lt)

    def __le__(self, other: object) -> bool:
        return self._compare(other, operator.le)

    def __gt__(self, other: object) -> bool:
        return self._compare(other, operator.gt)

    def __ge__(self, other: object) -> bool:
        return self._compare(other, operator.ge)

    def __neg__(self) -> Lanes | int:
        return _lanes(self.group, -self.values)

    def __invert__(self) -> Lanes | int:
        return _lanes(self.group, ~self.values)

    def __abs__(self) -> Lanes | int:
        return _lanes(self.group, np.abs(self.values))

    def __add__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: mine + its)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: mine - its)

    def __rsub__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: its - mine)

    def __mul__(self, other: Number) -> Number:
        its = other.values if isinstance(other, Lanes) else other
        if isinstance(other, float) or self._reach() * _reach(its) >= _LARGEST:
            return self._alone(other, operator.mul)
        return _lanes(self.group, self.values * its)

    __rmul__ = __mul__

    def __and__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: mine & its)

    __rand__ = __and__

    def __or__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: mine | its)

    __ror__ = __or__

    def __xor__(self, other: Number) -> Number:
        return self._with(other, lambda mine, its: mine ^ its)

    __rxor__ = __xor__

    def __floordiv__(self, other: Number) -> Number:
        return self._by(other, lambda mine, its: mine // its)

    def __mod__(self, other: Number) -> Number:
        return self._by(other, lambda mine, its: mine % its)

    def __rshift__(self, other: Number) -> Number:
        return self._by(other, lambda mine, its: mine >> its)

    def __lshift__(self, other: Number) -> Number:
        return self._alone(other, lambda mine, its: mine << its)

    def __truediv__(self, other: Number) -> Number:
        return self._alone(other, lambda mine, its: mine / its)

    def __rfloordiv__(self, other: Number) -> Number:
        return other // self.part()

    def __rmod__(self, other: Number) -> Number:
        return other % self.part()

    def __rrshift__(self, other: Number) -> Number:
        return other >> self.part()

    def __rlshift__(self, other: Number) -> Number:
        return other << self.part()

    def __rtruediv__(self, other: Number) -> Number:
        return other / self.part()

    def quotient(self, other: int) -> Lanes | int:
        """Divided by a positive number, cut towards zero."""
        return _lanes(self.group, np.sign(self.values) * (np.abs(self.values) // other))

    def wrapped(self, bits: int) -> Lanes | int:
        """The signed integers of `bits` bits with the same low bits."""
        half = 1 << (bits - 1)
        if self._reach() >= _LARGEST:
            return ((self.part() + half) & (2 * half - 1)) - half
        return _lanes(self.group, ((self.values + half) & (2 * half - 1)) - half)

    def masked(self, bits: int) -> Lanes | int:
        """The unsigned integers of `bits` bits with the same low bits."""
        return _lanes(self.group, self.values & ((1 << bits) - 1))

    def _with(self, other: Number, combine: _Combine) -> Number:
        its = other.values if isinstance(other, Lanes) else other
        if isinstance(other, float) or max(self._reach(), _reach(its)) >= _LARGEST:
            return self._alone(other, combine)
        return _lanes(self.group, combine(self.values, its))

    def _by(self, other: Number, combine: _Combine) -> Number:
        """With a positive number; by another one each block goes alone."""
        if not isinstance(other, int) or not 0 < other < _LARGEST:
            return self._alone(other, combine)
        return _lanes(self.group, combine(self.values, other))

    def _alone(self, other: Number, combine: _Combine) -> Number:
        return combine(self.part(), plain(other))

    def _compare(self, other: Number, compare: Callable[[Any, Any], Flags]) -> bool:
        its = other.values if isinstance(other, Lanes) else other
        return self._truth(compare(self.values, its))

    def _truth(self, flags: Flags) -> bool:
        """What is true in the first lane; where others differ, they are not alike."""
        first = bool(flags[0])
        if not (flags == first).all():
            self.group.is_alike = False
        return first

    def _reach(self) -> int:
        """The largest number without its sign, plus 1."""
        if self._largest < 0:
            self._largest = _reach(self.values)
        return self._largest


def settled(number: Number) -> Number:
    """A number that must be the same in all lanes; where it is not, they are not alike."""
    return number.part() if isinstance(number, Lanes) else number


def plain(number: Number) -> Number:
    """The number of the first lane."""
    return number.value if isinstance(number, Lanes) else number


def _lanes(group: LaneGroup, values: Values) -> Lanes | int:
    """A number for each lane; where they are equal, that number."""
    first = values[0]
    return int(first) if (values == first).all() else Lanes(group, values)


def _reach(values: Any) -> int:
    if isinstance(values, int):
        return abs(values) + 1
    return int(max(values.max(), -values.min())) + 1
