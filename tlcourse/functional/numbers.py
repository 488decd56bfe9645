"""Scalars of a kernel: Python numbers that round and wrap as the kernel's dtypes do.

Doubles hold every sum, product and quotient of two float32 values closely enough that one
rounding afterwards gives the float32 result, so `f32(a * b)` is exact.
"""

from __future__ import annotations

import math
import struct

nan = math.nan
inf = math.inf
# e ** 700 and 2 ** 700 fit a double and no smaller dtype.
_LARGEST_EXPONENT = 700.0


def f16(value: float) -> float:
    """The nearest float16, ties to even; infinity where it does not fit."""
    return _packed(value, "<e")


def f32(value: float) -> float:
    """The nearest float32, ties to even; infinity where it does not fit."""
    return _packed(value, "<f")


def bf16(value: float) -> float:
    """The nearest bfloat16 of a float32, ties to even."""
    value = f32(value)
    if not math.isfinite(value):
        return value
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", rounded))[0]


def wrap(value: int, bits: int) -> int:
    """The signed integer of `bits` bits with the same low bits."""
    half = 1 << (bits - 1)
    return ((int(value) + half) & (2 * half - 1)) - half


def unsigned(value: int, bits: int) -> int:
    """The unsigned integer of `bits` bits with the same low bits."""
    return int(value) & ((1 << bits) - 1)


def to_int(value: float, bits: int) -> int:
    """A float cut towards zero; the nearest end of the range where it does not fit, NaN is 0."""
    if math.isnan(value):
        return 0
    limit = 1 << (bits - 1)
    return int(max(-limit, min(limit - 1, value)))


def to_unsigned(value: float, bits: int) -> int:
    """As `to_int`, into the range from 0."""
    return 0 if math.isnan(value) else int(max(0, min((1 << bits) - 1, value)))


def divide(left: float, right: float) -> float:
    """A quotient of floats; x / 0 is infinite or NaN."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return nan
    return math.copysign(inf, left) * math.copysign(1.0, right)


def truncated_div(left: int, right: int) -> int:
    """A quotient of integers, cut towards zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def truncated_mod(left: int, right: int) -> int:
    """The remainder of `truncated_div`; it has the sign of `left`."""
    return left - right * truncated_div(left, right)


def maximum(left: float, right: float) -> float:
    """The larger float; NaN wins."""
    return nan if math.isnan(left) or math.isnan(right) else max(left, right)


def minimum(left: float, right: float) -> float:
    """The smaller float; NaN wins."""
    return nan if math.isnan(left) or math.isnan(right) else min(left, right)


def exp(value: float) -> float:
    """The exponential; infinity where it does not fit."""
    return inf if value > _LARGEST_EXPONENT else math.exp(value)


def exp2(value: float) -> float:
    """2 to the power of a float; infinity where it does not fit."""
    return inf if value > _LARGEST_EXPONENT else 2.0**value


def log(value: float) -> float:
    """The natural logarithm; -infinity at 0, NaN below."""
    return math.log(value) if value > 0 else -inf if value == 0 else nan


def log2(value: float) -> float:
    """The logarithm to base 2; -infinity at 0, NaN below."""
    return math.log2(value) if value > 0 else -inf if value == 0 else nan


def sqrt(value: float) -> float:
    """The square root; NaN below 0."""
    return math.sqrt(value) if value >= 0 else nan


def rsqrt(value: float) -> float:
    """1 / the square root; infinity at 0, NaN below."""
    return divide(1.0, sqrt(value))


def bits(value: float, source: str, target: str) -> float:
    """The bits of a number, read as another type of the same width.

    Args:
        value: an integer or float that its type holds.
        source: how `struct` writes it; bf16 for bfloat16.
        target: how `struct` reads it; bf16 for bfloat16.
    """
    if source == "bf16":
        return bits(struct.unpack("<i", struct.pack("<f", value))[0] >> 16, "h", target)
    if target == "bf16":
        (high,) = struct.unpack("<h", struct.pack(f"<{source}", value))
        return bits(high << 16, "i", "f")
    return struct.unpack(f"<{target}", struct.pack(f"<{source}", value))[0]


def _packed(value: float, form: str) -> float:
    try:
        return struct.unpack(form, struct.pack(form, value))[0]
    except OverflowError:
        return math.copysign(inf, value)
