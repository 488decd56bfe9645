"""Powers of floats as the steps that the vector unit computes: it has none of its own."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import Float32Type, i1
from xdsl.ir import SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.workbench import Workbench

_F32 = Float32Type()


def power(bench: Workbench, op: tl.ElementwiseOp) -> None:
    """The power e ** (B ln |A|) in float32, with the sign of A where B is odd.

    A negative A has no power that is not whole: NaN. Every A to the power of 0 is 1.
    """
    base, exponent = (_wide(bench, source, op.destination) for source in op.sources)
    result, other = bench.temporary(_F32), bench.temporary(_F32)
    negative, mask = bench.temporary(i1), bench.temporary(i1)
    bench.compute("vabs", [base], result)
    bench.compute("vln", [result], result)
    bench.compute("vmul", [result, exponent], result)
    bench.compute("vexp", [result], result)
    _compare(bench, base, 0.0, negative, "lt")
    _find_odd(bench, exponent, other, mask)
    bench.compute("vand", [negative, mask], mask)
    bench.compute("vmul", [result, -1.0], other)
    bench.add(tl.VselectOp([mask, other, result], result))
    bench.add(tl.CastOp(exponent, other, "floor"))
    bench.add(tl.VcmpOp([exponent, other], mask, "ne"))
    bench.compute("vand", [negative, mask], mask)
    _replace(bench, mask, math.nan, other, result)
    _compare(bench, exponent, 0.0, mask, "eq")
    _replace(bench, mask, 1.0, other, result)
    same = tl.memref_of(op.destination).element_type == _F32
    copy = tl.CopyOp if same else tl.CastOp
    bench.add(copy(result, op.destination))


def _wide(bench: Workbench, source: SSAValue, destination: SSAValue) -> SSAValue:
    """A source as a float32 tile of the destination's extents."""
    kind = tl.memref_of(source)
    if kind.element_type != _F32:
        tile = bench.temporary(_F32)
        bench.add(tl.CastOp(source, tile))
        return tile
    is_whole = kind.get_shape() == tl.memref_of(destination).get_shape()
    return source if is_whole else bench.filled(source)


def _find_odd(bench: Workbench, exponent: SSAValue, other: SSAValue, mask: SSAValue) -> None:
    """Half of an odd number ends in .5."""
    half = bench.temporary(_F32)
    bench.compute("vmul", [exponent, 0.5], half)
    bench.add(tl.CastOp(half, other, "floor"))
    bench.compute("vsub", [half, other], half)
    _compare(bench, half, 0.5, mask, "eq")


def _compare(bench: Workbench, tile: SSAValue, number: float, mask: SSAValue, mode: str) -> None:
    bench.add(tl.VcmpOp([tile, bench.constant(number, _F32)], mask, mode))


def _replace(
    bench: Workbench, mask: SSAValue, number: float, other: SSAValue, result: SSAValue
) -> None:
    bench.add(tl.BroadcastOp(bench.constant(number, _F32), other))
    bench.add(tl.VselectOp([mask, other, result], result))
