"""Scalars of generated code: Python numbers that wrap and round as MLIR's types do.

Integers may be of many blocks at once, see `lanes`.
"""

from __future__ import annotations

import math
import struct

from tlcourse.simulator.lanes import Lanes, settled

Integer = int | Lanes


class DivisionError(ZeroDivisionError):
    """An integer is divided by zero at a place of the program's table; -1 is none."""

    def __init__(self, at: int) -> None:
        super().__init__("division by zero")
        self.at = at


def divisor(value: Integer, at: int) -> Integer:
    """A divisor of the statement at a place; must not be 0."""
    if value == 0:
        raise DivisionError(at)
    return value


def wrap(value: Integer, bits: int) -> Integer:
    """The signed integer of `bits` bits with the same low bits."""
    if isinstance(value, Lanes):
        return value.wrapped(bits)
    half = 1 << (bits - 1)
    return ((int(value) + half) & (2 * half - 1)) - half


def unsigned(value: Integer, bits: int) -> Integer:
    """The unsigned integer of `bits` bits with the same low bits."""
    if isinstance(value, Lanes):
        return value.masked(bits)
    return int(value) & ((1 << bits) - 1)


def div(left: Integer, right: Integer) -> Integer:
    """A quotient cut towards zero."""
    if isinstance(left, Lanes) and isinstance(right, int) and right > 0:
        return left.quotient(right)
    left, right = settled(left), settled(right)
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def rem(left: Integer, right: Integer) -> Integer:
    """The remainder of `div`, with the sign of `left`."""
    return left - right * div(left, right)


def ceil_div(left: Integer, right: Integer) -> Integer:
    """A quotient rounded up."""
    return -(-left // right)


def divide(left: float, right: float) -> float:
    """A quotient of floats; x / 0 is infinite or NaN."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def maximum(left: float, right: float) -> float:
    """The larger float; NaN wins."""
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


def minimum(left: float, right: float) -> float:
    """The smaller float; NaN wins."""
    return math.nan if math.isnan(left) or math.isnan(right) else min(left, right)


def f16(value: float) -> float:
    """The nearest float16."""
    return _packed(value, "<e")


def f32(value: float) -> float:
    """The nearest float32."""
    return _packed(value, "<f")


def bf16(value: float) -> float:
    """The nearest bfloat16 of a float32."""
    value = f32(value)
    if not math.isfinite(value):
        return value
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", rounded))[0]


def to_int(value: float, bits: int) -> int:
    """A float cut towards zero, held inside the range; NaN is 0."""
    if math.isnan(value):
        return 0
    limit = 1 << (bits - 1)
    return int(max(-limit, min(limit - 1, value)))


def _packed(value: float, form: str) -> float:
    try:
        return struct.unpack(form, struct.pack(form, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
