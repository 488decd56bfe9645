"""Decimal text of floats as MLIR writes it: short where nothing is lost, else LLVM's digits.

LLVM cuts a number to about as many digits as tell it from its neighbours, and rounds only what
is left over after the cut; so its last digit is not always the rounded one.
"""

from __future__ import annotations

import math
import struct

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
)

# Bits of a significand, the one in front included.
_SIGNIFICANT_BITS: dict[type[AnyFloat], int] = {
    BFloat16Type: 8,
    Float16Type: 11,
    Float32Type: 24,
    Float64Type: 53,
}
_DIGITS_PER_BIT = (59, 196)  # LLVM's fraction for the logarithm of 2
_MOST_ZEROS = 3  # in front of or behind the digits; more are an exponent


def float_text(value: float, kind: AnyFloat) -> str | None:
    """A finite number as MLIR writes it; None where xDSL's form is the same, or is all there is.

    Args:
        value: the number, exactly as the type holds it.
        kind: its type.
    """
    bits = _SIGNIFICANT_BITS.get(type(kind))
    if bits is None or not math.isfinite(value) or _is_short(value, kind):
        return None
    text = _decimal(abs(value), bits)
    if "." not in text:
        return _hexadecimal(value, kind)
    return f"-{text}" if value < 0 else text


def _is_short(value: float, kind: AnyFloat) -> bool:
    (read,) = kind.unpack(kind.pack([float(f"{value:.5e}")]), 1)
    return read == value


def _hexadecimal(value: float, kind: AnyFloat) -> str:
    packed = struct.pack(">d", value) if isinstance(kind, Float64Type) else kind.pack([value])[::-1]
    return f"0x{packed.hex().upper()}"


def _decimal(value: float, bits: int) -> str:
    numerator, denominator = value.as_integer_ratio()
    exponent = -(denominator.bit_length() - 1)
    significand = numerator * 5**-exponent
    factor, per = _DIGITS_PER_BIT
    precision = 2 + bits * factor // per
    spare = significand.bit_length() - (precision * per + factor - 1) // factor
    cut = max(0, spare) * factor // per
    digits, exponent = _rounded(str(significand // 10**cut), exponent + cut, precision)
    return _placed(digits, exponent, precision)


def _rounded(digits: str, exponent: int, precision: int) -> tuple[str, int]:
    """At most so many digits, without zeros at the end; half is rounded up."""
    over = len(digits) - precision
    if over > 0:
        number = int(digits[:precision]) + (digits[precision] >= "5")
        digits, exponent = str(number), exponent + over
    short = digits.rstrip("0")
    return short, exponent + len(digits) - len(short)


def _placed(digits: str, exponent: int, precision: int) -> str:
    """Digits with a point, and with an exponent where too many zeros would be needed."""
    first = exponent + len(digits) - 1  # the power of ten of the first digit
    if exponent >= 0:
        if exponent <= _MOST_ZEROS and first + 1 <= precision:
            return digits + "0" * exponent
    elif first >= 0:
        return f"{digits[: first + 1]}.{digits[first + 1 :]}"
    elif -first <= _MOST_ZEROS:
        return f"0.{'0' * (-first - 1)}{digits}"
    return f"{digits[0]}.{digits[1:] or '0'}E{first:+d}"
