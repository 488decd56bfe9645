"""What generated code calls besides torch: conversions and products that torch lacks."""

from __future__ import annotations

import torch

from tlcourse.tile_casts import converted

# So many products of two int8 are at most 2 ** 24 together: float32 adds them exactly.
_EXACT_TERMS = 1024


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
    """Copies into another dtype, to which `src` broadcasts; see `tile_casts.converted`."""
    if mode == "rint" and dst.dtype.is_floating_point and src.dtype != dst.dtype:
        dst.copy_(src)
    else:
        dst.copy_(converted(src, dst.dtype, mode))
