"""The conversions of the vector unit, and ways round by those that it has not.

A way round gives the number that one conversion would give: all its steps but one keep the
number, or what they change is cut off at the limits of the last dtype anyway.

Source: the verifier of `hivm.hir.vcast` in AscendNPU IR 1.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, i1
from xdsl.ir import Attribute, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES, dtype_of
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.dialects.temporaries import bounds_of, extents_of, temporary

_NEAREST = ("rint",)
_ALL = ("rint", "round", "floor", "ceil", "trunc")
_Pair = tuple[str, str]

# Pairs that one instruction converts, and the round modes that it takes.
DIRECT: Mapping[_Pair, tuple[str, ...]] = {
    **{("bool", dtype): _NEAREST for dtype in ("int8", "int16", "int32")},
    **{("bool", dtype): _NEAREST for dtype in ("float16", "bfloat16", "float32")},
    **{(dtype, "bool"): _NEAREST for dtype in ("int8", "int16", "int32")},
    **{("int8", dtype): _NEAREST for dtype in ("int16", "int32", "float16")},
    **{("int16", dtype): _NEAREST for dtype in ("int32", "float32")},
    ("int16", "float16"): _ALL,
    **{("int32", dtype): _NEAREST for dtype in ("int16", "int64")},
    ("int32", "float32"): _ALL,
    ("int64", "int32"): _NEAREST,
    ("int64", "float32"): _ALL,
    **{("float16", dtype): _ALL for dtype in ("int8", "int16", "int32")},
    ("float16", "float16"): ("floor", "ceil"),
    ("float16", "float32"): _NEAREST,
    ("bfloat16", "int32"): _ALL,
    ("bfloat16", "bfloat16"): ("floor", "ceil"),
    ("bfloat16", "float32"): _NEAREST,
    **{("float32", dtype): _ALL for dtype in ("int8", "int16", "int32", "int64")},
    **{("float32", dtype): _ALL for dtype in ("bfloat16", "float32")},
    ("float32", "float16"): (*_ALL, "odd"),
}
# What lies between two dtypes that no instruction joins, and why the number is the same.
BETWEEN: Mapping[_Pair, tuple[str, ...]] = {
    # Each step holds every number of the step before.
    ("bool", "int64"): ("int32",),
    ("int8", "int64"): ("int32",),
    ("int8", "float32"): ("float16",),
    ("int8", "bfloat16"): ("float16", "float32"),
    ("int16", "int64"): ("int32",),
    # The first step holds every number; the second rounds once.
    ("int16", "bfloat16"): ("float32",),
    ("float16", "int64"): ("float32",),
    ("float16", "bfloat16"): ("float32",),
    ("float16", "float16"): ("float32", "float32"),
    ("bfloat16", "int8"): ("float32",),
    ("bfloat16", "int16"): ("float32",),
    ("bfloat16", "int64"): ("float32",),
    ("bfloat16", "float16"): ("float32",),
    ("bfloat16", "bfloat16"): ("float32", "float32"),
    # float32 holds integers up to 2 ** 24; from 65520 on float16 is infinite.
    ("int32", "float16"): ("float32",),
    ("int64", "float16"): ("float32",),
    # Integers above 2 ** 24 are rounded twice, as torch does it.
    ("int32", "bfloat16"): ("float32",),
    ("int64", "bfloat16"): ("float32",),
    # Cut off at the limits of each step; float16 holds integers up to 2048.
    ("int16", "int8"): ("float16",),
    ("int32", "int8"): ("int16", "float16"),
    ("int64", "int8"): ("int32", "int16", "float16"),
    ("int64", "int16"): ("int32",),
    # No step makes a number 0 that is not.
    ("int64", "bool"): ("int32",),
    ("bfloat16", "bool"): ("float32",),
}
# Whether a float is not 0 is a comparison: rounding first would lose small numbers.
COMPARED = (("float16", "bool"), ("float32", "bool"))


@dataclass(frozen=True, kw_only=True)
class Step:
    """One instruction of a conversion.

    Args:
        element: dtype of its result.
        round_mode: round mode; empty where it compares with 0.
    """

    element: Attribute
    round_mode: str


def steps(source: Attribute, target: Attribute, round_mode: str = "rint") -> list[Step]:
    """The instructions of a conversion; none where nothing changes."""
    pair = dtype_of(source).name, dtype_of(target).name
    if pair[0] == pair[1] and "float" not in pair[0]:
        return []
    way = [pair[0], *_between(pair, round_mode), pair[1]]
    is_whole = all("float" not in dtype for dtype in pair)
    mode = "rint" if is_whole else round_mode
    return [_step((a, b), mode) for a, b in pairwise(way)]


def is_one_cast(op: tl.CastOp) -> bool:
    """Whether one instruction does a cast as it is written."""
    return [step.round_mode for step in _way(op)] == [op.round_mode.data] and not _must_repeat(op)


def expand_cast(op: tl.CastOp) -> None:
    """Puts the instructions of a cast in its place.

    ```mlir
    tl.vcast "rint" ins(%a : int8 tile) outs(%b : float32 tile)
    -->
    %t = tl.alloc : float16 tile
    tl.vcast "rint" ins(%a) outs(%t)
    tl.vcast "rint" ins(%t) outs(%b)
    ```
    """
    if is_one_cast(op):
        return
    source, way = op.source, _way(op)
    if _must_repeat(op):
        source = _repeated(op, source)
    for step in way[:-1]:
        tile = _between_tile(op, source, step.element)
        _write(op, step, source, tile)
        source = tile
    if way:
        _write(op, way[-1], source, op.destination)
    else:
        insert_before(op, [tl.BroadcastOp(source, op.destination)])
    replace(op, [], [])


def _way(op: tl.CastOp) -> list[Step]:
    source, target = (tl.memref_of(tile).element_type for tile in (op.source, op.destination))
    return steps(source, target, op.round_mode.data)


def _between(pair: _Pair, round_mode: str) -> tuple[str, ...]:
    if pair in COMPARED or (pair[0] == pair[1] and round_mode in DIRECT[pair]):
        return ()
    return () if pair in DIRECT and pair[0] != pair[1] else BETWEEN.get(pair, ())


def _step(pair: _Pair, round_mode: str) -> Step:
    element = DTYPES[pair[1]].mlir
    if pair in COMPARED:
        return Step(element=element, round_mode="")
    modes = DIRECT[pair]
    return Step(element=element, round_mode=round_mode if round_mode in modes else modes[0])


def _between_tile(op: tl.CastOp, like: SSAValue, element: Attribute) -> SSAValue:
    return temporary(op, "vcast_tmp", extents_of(like), bounds_of(like), like, element)


def _write(op: tl.CastOp, step: Step, source: SSAValue, destination: SSAValue) -> None:
    if step.round_mode:
        insert_before(op, [tl.CastOp(source, destination, step.round_mode)])
        return
    kind = tl.memref_of(source).element_type
    zero = arith.ConstantOp(FloatAttr(0.0, cast("AnyFloat", kind)))
    insert_before(op, [zero])
    insert_before(op, [tl.VcmpOp([source, zero.result], destination, "ne")])


def _must_repeat(op: tl.CastOp) -> bool:
    """Whether rows are repeated before: a bool comes of a comparison, which repeats nothing."""
    source, target = (tl.memref_of(tile) for tile in (op.source, op.destination))
    return target.element_type == i1 and source.get_shape() != target.get_shape()


def _repeated(op: tl.CastOp, source: SSAValue) -> SSAValue:
    kind, like = tl.memref_of(source), op.destination
    extents, bounds = extents_of(like), bounds_of(like)
    tile = temporary(op, "vcast_tmp", extents, bounds, like, kind.element_type)
    insert_before(op, [tl.BroadcastOp(source, tile)])
    return tile
