"""Comparing, choosing and shifting: T.vcmp, T.vselect, T.vshr."""

from __future__ import annotations

from functools import partial

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import CHOICE_OPS
from tlcourse.language.tile_operands import check_mode
from tlcourse.language.vector import TileFunction, emit, named


def vcmp(A: object, B: object, C: object, cmp_mod: str) -> None:
    """C = A compared with B, a bool tile. `T.vcmp(a, 0.0, mask, "ge")`.

    Args:
        A: tile; extents equal the destination's or are 1.
        B: tile or scalar; a scalar is converted to the dtype of `A`.
        C: bool tile to write.
        cmp_mod: eq (==), ne (!=), lt (<), gt (>), ge (>=) or le (<=).

    Dtypes: int16, int32, int64, float16, float32; bfloat16 through float32.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, the op does not take them, or `C` is not bool.
        TL138: there is no such comparison.
    """
    _vcmp("vcmp", A, B, C, cmp_mod)


def npuir_cmp(A: object, B: object, C: object, cmp_mod: str) -> None:
    """The older spelling of T.vcmp."""
    _vcmp("npuir_cmp", A, B, C, cmp_mod)


def vselect(Cond: object, A: object, B: object, Out: object) -> None:
    """Out = A where Cond, else B. `T.vselect(mask, a, b, out)`.

    Args:
        Cond: bool tile.
        A: tile, taken where `Cond` is true.
        B: tile, taken where it is false.
        Out: tile to write; it may be `A` or `B`.

    Dtypes: int16, int32, int64, float16, bfloat16, float32.

    Raises:
        TL121: an operand is no tile; a number goes into a tile with T.vbrc first.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, the op does not take them, or `Cond` is not bool.
    """
    _vselect("vselect", Cond, A, B, Out)


def npuir_select(Cond: object, A: object, B: object, Out: object) -> None:
    """The older spelling of T.vselect."""
    _vselect("npuir_select", Cond, A, B, Out)


def vshr(A: object, B: object, C: object, round: bool = True) -> None:
    """C = A >> B, with the sign of A. `T.vshr(a, 4, out, round=False)`.

    Args:
        A: tile; extents equal the destination's or are 1.
        B: tile or scalar.
        C: tile to write; it may be one of the sources.
        round: whether a scalar `B` rounds to the nearest, halves up; a tile `B` never rounds.

    Dtypes: int16, int32, int64.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """
    _vshr("vshr", A, B, C, round)


def npuir_shr(A: object, B: object, C: object, round: bool = True) -> None:
    """The older spelling of T.vshr."""
    _vshr("npuir_shr", A, B, C, round)


def choice_functions() -> dict[str, TileFunction]:
    """The functions of this file by their names."""
    return named((vcmp, npuir_cmp, vselect, npuir_select, vshr, npuir_shr))


def _vcmp(name: str, a: object, b: object, c: object, mode: str) -> None:
    check_mode(mode, tl.COMPARE_MODES, "cmp_mod")
    make = partial(tl.VcmpOp, mode=mode)
    emit(CHOICE_OPS["vcmp"], name, {"A": a, "B": b, "C": c}, make)


def _vselect(name: str, cond: object, a: object, b: object, out: object) -> None:
    operands = {"Cond": cond, "A": a, "B": b, "Out": out}
    emit(CHOICE_OPS["vselect"], name, operands, tl.VselectOp)


def _vshr(name: str, a: object, b: object, c: object, rounds: object) -> None:
    make = partial(tl.VshrOp, rounds=bool(rounds))
    emit(CHOICE_OPS["vshr"], name, {"A": a, "B": b, "C": c}, make)
