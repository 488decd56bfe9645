"""Composite elementwise ops as the steps that the vector unit computes.

The polynomials are those of upstream's code generation: good near 0, no replacement for the
periodic functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import Float32Type, IntegerType, MemRefType, i1
from xdsl.ir import SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.workbench import Workbench

Composite = Callable[[Workbench, tl.ElementwiseOp], None]
# e ** 20 is far from float32's largest number, and tanh(10) is 1 in float32.
_TANH_IS_ONE = 20.0


def sigmoid(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """1 / (1 + e ** -x)."""
    tile = bench.temporary()
    bench.compute("vmul", [op.sources[0], -1.0], tile)
    bench.compute("vexp", [tile], tile)
    bench.compute("vadd", [tile, 1.0], tile)
    bench.compute("vrec", [tile], op.destination)


def cosine(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """The polynomial 1 - x^2/2 + x^4/24 - x^6/720."""
    x = op.sources[0]
    square, fourth, sixth = (bench.temporary() for _ in range(3))
    bench.compute("vmul", [x, x], square)
    bench.compute("vmul", [square, square], fourth)
    bench.compute("vmul", [square, fourth], sixth)
    bench.compute("vmul", [square, -1 / 2], square)
    bench.compute("vmul", [fourth, 1 / 24], fourth)
    bench.compute("vmul", [sixth, -1 / 720], sixth)
    bench.compute("vadd", [square, 1.0], square)
    bench.compute("vadd", [fourth, square], square)
    bench.compute("vadd", [sixth, square], op.destination)


def sine(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """The polynomial x - x^3/6 + x^5/120 - x^7/5040."""
    _odd(bench, op, (-1 / 6, 1 / 120, -1 / 5040), 1.0)


def error_function(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """The polynomial 2/sqrt(pi) (x - x^3/3 + x^5/10 - x^7/42)."""
    _odd(bench, op, (-1 / 3, 1 / 10, -1 / 42), 2 / math.sqrt(math.pi))


def hyperbolic_tangent(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """(e^2x - 1) / (e^2x + 1) in float32, with 2x no larger than 20: nothing overflows."""
    source, f32 = op.sources[0], Float32Type()
    narrow = tl.memref_of(op.destination).element_type != f32
    upper, lower = (bench.temporary(f32) for _ in range(2))
    if narrow:
        bench.add(tl.CastOp(source, upper))
    bench.compute("vmul", [upper if narrow else source, 2.0], upper)
    bench.compute("vmin", [upper, _TANH_IS_ONE], upper)
    bench.compute("vexp", [upper], upper)
    bench.compute("vadd", [upper, 1.0], lower)
    bench.compute("vadd", [upper, -1.0], upper)
    bench.compute("vdiv", [upper, lower], upper if narrow else op.destination)
    if narrow:
        bench.add(tl.CastOp(upper, op.destination))


def floor_division(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """A quotient rounded down; the vector unit rounds integers towards zero."""
    if isinstance(tl.memref_of(op.destination).element_type, IntegerType):
        _floor_integers(bench, op)
        return
    bench.compute("vdiv", list(op.sources), op.destination)
    bench.add(tl.CastOp(op.destination, op.destination, "floor"))


def floor(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """A cast into the same dtype, rounding down."""
    bench.add(tl.CastOp(op.sources[0], op.destination, "floor"))


COMPOSITES: Mapping[str, Composite] = {
    "vfloor": floor,
    "vsigmoid": sigmoid,
    "vcos": cosine,
    "vsin": sine,
    "verf": error_function,
    "vtanh": hyperbolic_tangent,
    "vfloordiv": floor_division,
}


def _odd(bench: Workbench, op: tl.ElementwiseOp, factors: Sequence[float], whole: float) -> None:
    """Whole times the sum of x and its third, fifth and seventh power with their factors."""
    x = op.sources[0]
    square = bench.temporary()
    powers = [bench.temporary() for _ in factors]
    bench.compute("vmul", [x, x], square)
    for previous, power in zip([x, *powers], powers, strict=False):
        bench.compute("vmul", [square, previous], power)
    for power, factor in zip(powers, factors, strict=True):
        bench.compute("vmul", [power, factor], power)
    # The square is not needed any more: it becomes the sum.
    bench.compute("vadd", [powers[0], x], square)
    bench.compute("vadd", [powers[1], square], square)
    if whole == 1.0:
        bench.compute("vadd", [powers[2], square], op.destination)
        return
    bench.compute("vadd", [powers[2], square], square)
    bench.compute("vmul", [square, whole], op.destination)


def _floor_integers(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """One less than the quotient where a remainder is left and the signs differ."""
    left, right = op.sources
    quotient, rest, signs = (bench.temporary() for _ in range(3))
    is_less, is_left = (bench.temporary(i1) for _ in range(2))
    bench.compute("vdiv", [left, right], quotient)
    bench.compute("vmul", [quotient, right], rest)
    bench.compute("vsub", [left, rest], rest)
    bench.compute("vxor", [rest, _tile(bench, right, op)], signs)
    _compare_with_zero(bench, signs, is_less, "lt")
    _compare_with_zero(bench, rest, is_left, "ne")
    bench.compute("vand", [is_less, is_left], is_less)
    bench.compute("vsub", [quotient, 1], signs)
    bench.add(tl.VselectOp([is_less, signs, quotient], op.destination))


def _compare_with_zero(bench: Workbench, tile: SSAValue, mask: SSAValue, mode: str) -> None:
    zero = bench.constant(0, tl.memref_of(tile).element_type)
    bench.add(tl.VcmpOp([tile, zero], mask, mode))


def _tile(bench: Workbench, value: SSAValue, op: tl.ElementwiseOp) -> SSAValue:
    """A source as a tile of the destination's extents."""
    extents = tl.memref_of(op.destination).get_shape()
    if isinstance(value.type, MemRefType) and tl.memref_of(value).get_shape() == extents:
        return value
    return bench.filled(value)
