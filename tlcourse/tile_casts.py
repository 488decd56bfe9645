"""What a conversion of a tile computes, in torch: one meaning for both executors."""

from __future__ import annotations

from collections.abc import Callable

import torch

_BITS = {2: torch.int16, 4: torch.int32}


def converted(src: torch.Tensor, dtype: torch.dtype, mode: str = "rint") -> torch.Tensor:
    """Elements in another dtype.

    Integers saturate; NaN becomes the integer 0. A float converted to its own dtype becomes a
    whole number. A bool is whether an element is not 0, NaN included.

    Args:
        src: elements.
        dtype: dtype of the result.
        mode: rint (ties to even), round (ties away from 0), floor, ceil, trunc, odd; or
            truncwithoverflow, which keeps the low bits of an integer.
    """
    if dtype == torch.bool:
        return src != 0
    if dtype.is_floating_point:
        return _floats(src, dtype, mode)
    if src.dtype.is_floating_point:
        return _integers(src, dtype, mode)
    return src.to(dtype) if mode == "truncwithoverflow" else _saturated(src, dtype)


def _floats(src: torch.Tensor, dtype: torch.dtype, mode: str) -> torch.Tensor:
    if src.dtype == dtype:
        return _WHOLE[mode](src)
    if mode == "rint" or _holds_all(dtype, src.dtype):
        return src.to(dtype)
    return _narrowed(src, dtype, mode)


def _holds_all(dtype: torch.dtype, source: torch.dtype) -> bool:
    """Whether a float dtype holds every number of another dtype, so that nothing is rounded."""
    if source == torch.bool:
        return True
    limits = torch.finfo(dtype)
    if source.is_floating_point:
        other = torch.finfo(source)
        return limits.eps <= other.eps and limits.max >= other.max
    return 2 ** (torch.iinfo(source).bits - 1) * limits.eps <= 2


def _integers(src: torch.Tensor, dtype: torch.dtype, mode: str) -> torch.Tensor:
    limits = torch.iinfo(dtype)
    whole = torch.nan_to_num(_WHOLE[mode](src.double()), nan=0.0)
    out = whole.clamp(limits.min, limits.max).to(dtype)
    if limits.bits == 64:
        # The largest int64 is no double: the nearest one is too large by 1.
        out.masked_fill_(whole >= 2.0**63, limits.max)
    return out


def _saturated(src: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if src.dtype == torch.bool or torch.iinfo(dtype).bits >= torch.iinfo(src.dtype).bits:
        return src.to(dtype)
    limits = torch.iinfo(dtype)
    return src.clamp(limits.min, limits.max).to(dtype)


def _ties_away(value: torch.Tensor) -> torch.Tensor:
    whole = value.trunc()
    return torch.where((value - whole).abs() >= 0.5, whole + value.sign(), whole)


def _odd(value: torch.Tensor) -> torch.Tensor:
    whole = value.trunc()
    change = (value != whole) & (whole.remainder(2) == 0)
    return torch.where(change, whole + value.sign(), whole)


_WHOLE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rint": torch.round,
    "round": _ties_away,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "truncwithoverflow": torch.trunc,
    "odd": _odd,
}


def _narrowed(src: torch.Tensor, dtype: torch.dtype, mode: str) -> torch.Tensor:
    """Rounds by the bits: next to each other, numbers have neighbouring bits."""
    near, kind = src.to(dtype), _BITS[dtype.itemsize]
    bits, exact = near.view(kind), src.double()
    cut = (bits - (near.double().abs() > exact.abs()).to(kind)).view(dtype)
    rest = exact.abs() - cut.double().abs()
    inexact = rest > 0
    away = (cut.view(kind) + 1).view(dtype)
    if mode == "odd":
        return (cut.view(kind) | inexact.to(kind)).view(dtype)
    up = {
        "trunc": torch.zeros_like(inexact),
        "floor": inexact & (exact < 0),
        "ceil": inexact & (exact > 0),
        "round": rest * 2 >= away.double().abs() - cut.double().abs(),
    }[mode]
    return torch.where(up & inexact, away, cut)
