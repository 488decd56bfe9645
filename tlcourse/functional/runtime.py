"""What generated code calls besides torch: conversions and products that torch lacks."""

from __future__ import annotations

from collections.abc import Callable

import torch

# So many products of two int8 are at most 2 ** 24 together: float32 adds them exactly.
_EXACT_TERMS = 1024
_HALF = (torch.float16, torch.bfloat16)


class Tiles:
    """Tiles of a tensor that no statement of the kernel writes, each converted once a launch.

    Args:
        source: the tensor.
        shape: extents of the tiles.
        strides: elements between neighbours in the tensor.
    """

    def __init__(
        self, source: torch.Tensor, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self._source = source
        self._shape = shape
        self._strides = strides
        self._made: dict[int, torch.Tensor] = {}
        # Tiles that overlap could take far more memory than the tensor: these are made anew.
        self._room = 2 * source.numel()

    def __call__(self, position: int) -> torch.Tensor:
        """The tile at a position of the tensor's storage, in float32. Nobody writes to it."""
        tile = self._made.get(position)
        if tile is None:
            view = self._source.as_strided(self._shape, self._strides, position)
            tile = torch.empty(self._shape, dtype=torch.float32).copy_(view)
            self._room -= tile.numel()
            if self._room >= 0:
                self._made[position] = tile
        return tile


def gemm_int8(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, init: bool) -> None:
    """Computes c = a @ b, added to c unless `init`; int8 in, exact int32 out."""
    if init:
        c.zero_()
    for start in range(0, a.shape[1], _EXACT_TERMS):
        left = a[:, start : start + _EXACT_TERMS].float()
        right = b[start : start + _EXACT_TERMS].float()
        c.add_(torch.mm(left, right).to(torch.int32))


def cast_copy(dst: torch.Tensor, src: torch.Tensor, mode: str) -> None:
    """Copies into another dtype.

    Integers saturate; NaN becomes the integer 0. A float copied into its own dtype becomes a
    whole number.

    Args:
        dst: destination; `src` broadcasts to it.
        src: source.
        mode: rint (ties to even), round (ties away from 0), floor, ceil, trunc, odd.
    """
    if dst.dtype == torch.bool:
        dst.copy_(src != 0)
    elif not dst.dtype.is_floating_point:
        _to_integer(dst, src, mode)
    elif src.dtype == dst.dtype:
        dst.copy_(_WHOLE[mode](src))
    elif dst.dtype in _HALF and src.dtype in (torch.float32, torch.float64) and mode != "rint":
        dst.copy_(_to_half(src, dst.dtype, mode))
    else:
        dst.copy_(src)


def _to_integer(dst: torch.Tensor, src: torch.Tensor, mode: str) -> None:
    limits = torch.iinfo(dst.dtype)
    if not src.dtype.is_floating_point:
        narrower = src.dtype != torch.bool and torch.iinfo(src.dtype).bits > limits.bits
        dst.copy_(src.clamp(limits.min, limits.max) if narrower else src)
        return
    whole = torch.nan_to_num(_WHOLE[mode](src.double()), nan=0.0)
    dst.copy_(whole.clamp(limits.min, limits.max))
    if limits.bits == 64:
        # The largest int64 is no double: the nearest one is too large by 1.
        dst.masked_fill_(whole >= 2.0**63, limits.max)


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
    "odd": _odd,
}


def _to_half(src: torch.Tensor, dtype: torch.dtype, mode: str) -> torch.Tensor:
    """Rounds to half precision by the bits: next to each other, numbers have neighbouring bits."""
    near = src.to(dtype)
    bits = near.view(torch.int16)
    cut = (bits - (near.double().abs() > src.double().abs()).short()).view(dtype)
    rest = src.double().abs() - cut.double().abs()
    inexact = rest > 0
    away = (cut.view(torch.int16) + 1).view(dtype)
    if mode == "odd":
        return (cut.view(torch.int16) | inexact.short()).view(dtype)
    up = {
        "trunc": torch.zeros_like(inexact),
        "floor": inexact & (src < 0),
        "ceil": inexact & (src > 0),
        "round": rest * 2 >= away.double().abs() - cut.double().abs(),
    }[mode]
    return torch.where(up & inexact, away, cut)
