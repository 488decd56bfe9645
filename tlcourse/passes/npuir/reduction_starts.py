"""The number that a reduction starts from: it changes no result."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType

_FLOATS: dict[str, float] = {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}
# By the width of the integers.
_INTEGERS: dict[str, Callable[[int], int]] = {
    "sum": lambda bits: 0,
    "prod": lambda bits: 1,
    "max": lambda bits: -(1 << (bits - 1)),
    "min": lambda bits: (1 << (bits - 1)) - 1,
    "xori": lambda bits: 0,
    "ori": lambda bits: 0,
    "andi": lambda bits: -1,
}


def starts_neutral(mode: str, number: IntegerAttr | FloatAttr) -> bool:
    """Whether a number is the one that the reduction starts from.

    Args:
        mode: what the reduction does; `max_with_index_left` starts where `max` does.
        number: what a destination is filled with.
    """
    kind = mode.partition("_")[0]
    if isinstance(number, FloatAttr):
        return kind in _FLOATS and number.value.data == _FLOATS[kind]
    if kind not in _INTEGERS or not isinstance(number.type, IntegerType):
        return False
    bits = number.type.width.data
    mask = (1 << bits) - 1
    return number.value.data & mask == _INTEGERS[kind](bits) & mask
