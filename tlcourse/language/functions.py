"""Functions on tiles that are more than one instruction: powers of 2, limits, sine and kin."""

from __future__ import annotations

import math
from collections.abc import Callable

from tlcourse.dialects.vector_ops import COMPOSITE_OPS, VECTOR_OPS
from tlcourse.language.buffers import Buffer, Region
from tlcourse.language.regions import sized, sizes, tile
from tlcourse.language.scratch import scratch_like
from tlcourse.language.vector import TileFunction, emit, named

_SERIES = ("vcos", "vsin", "verf", "vtanh")


def vexp2(A: object, B: object, Tmp: object) -> None:
    """B = 2 ** A, in two steps: Tmp = A * ln 2, then B = e ** Tmp. `T.vexp2(a, out, tmp)`.

    Args:
        A: tile; extents equal the destination's or are 1.
        B: tile to write.
        Tmp: tile for the first step; it may be `B`.

    Dtypes: float16, float32; bfloat16 through float32.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """
    _vexp2("vexp2", A, B, Tmp)


def npuir_exp2(A: object, B: object, Tmp: object) -> None:
    """The older spelling of T.vexp2."""
    _vexp2("npuir_exp2", A, B, Tmp)


def vlog2(A: object, B: object, Tmp: object) -> None:
    """B = logarithm of A to base 2, in two steps: Tmp = ln A, then B = Tmp / ln 2.

    Args:
        A: tile; extents equal the destination's or are 1.
        B: tile to write.
        Tmp: tile for the first step; it may be `B`.

    Dtypes: float16, float32; bfloat16 through float32.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """
    _vlog2("vlog2", A, B, Tmp)


def npuir_log2(A: object, B: object, Tmp: object) -> None:
    """The older spelling of T.vlog2."""
    _vlog2("npuir_log2", A, B, Tmp)


def vclamp(src: object, dst: object, min_val: object, max_val: object) -> None:
    """Limits a tile: dst = min(max(src, min_val), max_val). `T.vclamp(a, out, 0, 6)`.

    Args:
        src: tile; extents equal the destination's or are 1.
        dst: tile to write; it may be `src`.
        min_val: tile or scalar.
        max_val: tile or scalar; where it is below `min_val` it wins.

    Dtypes: int16, int32, int64, float16, float32; bfloat16 through float32.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """
    _vclamp("vclamp", src, dst, min_val, max_val)


def npuir_clamp(src: object, dst: object, min_val: object, max_val: object) -> None:
    """The older spelling of T.vclamp."""
    _vclamp("npuir_clamp", src, dst, min_val, max_val)


def tile_functions() -> dict[str, TileFunction]:
    """The functions of this file by their names, those of the polynomials made from the table."""
    series = [_series(mnemonic, name) for mnemonic in _SERIES for name in _spellings(mnemonic)]
    return named((vexp2, npuir_exp2, vlog2, npuir_log2, vclamp, npuir_clamp, *series))


def _spellings(mnemonic: str) -> tuple[str, str]:
    return mnemonic, COMPOSITE_OPS[mnemonic].alias


def _series(mnemonic: str, name: str) -> Callable[..., None]:
    row = COMPOSITE_OPS[mnemonic]

    def function(src: object, dst: object, *more: object, size: object = None) -> None:
        # Upstream takes several sources, and what it computes of the last one stays.
        *_, source, target = (src, dst, *more)
        operands: dict[str, object] = {"src": source, "dst": target}
        if size is not None:
            extents = sizes(size)
            operands = {p: sized(v, extents, p, slices=True) for p, v in operands.items()}
        emit(row, name, operands)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _DOCUMENT.format(
        doc=row.doc.replace("A", "src").replace("B", "dst"), name=name
    )
    return function


_DOCUMENT = """{doc} `T.{name}(src, dst)`.

    Args:
        src: tile; extents equal the destination's or are 1.
        dst: tile to write; it may be `src`.
        more: with several sources the last argument is the tile to write, and the last source
            counts.
        size: extents for both, from their first element.

    Dtypes: float16, float32; bfloat16 through float32.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """


def _vexp2(name: str, a: object, b: object, tmp: object) -> None:
    emit(VECTOR_OPS["vmul"], name, {"A": a, "ln2": math.log(2.0), "Tmp": tmp})
    emit(VECTOR_OPS["vexp"], name, {"Tmp": tmp, "B": b})


def _vlog2(name: str, a: object, b: object, tmp: object) -> None:
    emit(VECTOR_OPS["vln"], name, {"A": a, "Tmp": tmp})
    emit(VECTOR_OPS["vmul"], name, {"Tmp": tmp, "log2_e": 1.0 / math.log(2.0), "B": b})


def _vclamp(name: str, src: object, dst: object, low: object, high: object) -> None:
    # The upper limits must outlive the first step.
    target = tile(dst, "dst") if _share_memory(dst, high) else None
    first = scratch_like(target, "vclamp_tmp", target.dtype) if target else dst
    emit(VECTOR_OPS["vmax"], name, {"src": src, "min_val": low, "dst": first})
    emit(VECTOR_OPS["vmin"], name, {"src": first, "max_val": high, "dst": dst})


def _share_memory(dst: object, limit: object) -> bool:
    buffers = [_buffer_of(dst), _buffer_of(limit)]
    return buffers[0] is not None and buffers[0] is buffers[1]


def _buffer_of(value: object) -> Buffer | None:
    if isinstance(value, Buffer):
        return value
    return value.buffer if isinstance(value, Region) else None
