"""Moves and products of tiles of many blocks. The first dimension of such a tile is the block."""

from __future__ import annotations

import torch

from tlcourse.functional.blocks import Blocks
from tlcourse.functional.runtime import Tiles

Shape = tuple[int, ...]


def load_blocks(
    dst: torch.Tensor,
    src: torch.Tensor,
    shape: Shape,
    strides: Shape,
    at: int,
    shifts: Blocks | None,
) -> None:
    """Copies one tile of a tensor per block into `dst` [n, *shape]."""
    if shifts is None:
        dst.copy_(src.as_strided(shape, strides, at))
        return
    start, loops = at + shifts.values[0], shifts.lattice
    if loops is None:
        for tile, shift in zip(dst.unbind(), shifts.values, strict=True):
            tile.copy_(src.as_strided(shape, strides, at + shift))
        return
    view = src.as_strided(_counts(loops) + shape, _steps(loops) + strides, start)
    _split(dst, loops).copy_(view)


def store_blocks(
    dst: torch.Tensor,
    src: torch.Tensor,
    shape: Shape,
    strides: Shape,
    at: int,
    shifts: Blocks | None,
) -> None:
    """Copies each block's tile of `src` [n, *shape] to its place in a tensor, in block order."""
    loops = shifts.lattice if shifts is not None else None
    if shifts is None:
        dst.as_strided(shape, strides, at).copy_(src[-1])
    elif not loops or _overlap(_counts(loops) + shape, _steps(loops) + strides):
        for tile, shift in zip(src.unbind(), shifts.values, strict=True):
            dst.as_strided(shape, strides, at + shift).copy_(tile)
    else:
        start = at + shifts.values[0]
        view = dst.as_strided(_counts(loops) + shape, _steps(loops) + strides, start)
        view.copy_(_split(src, loops))


def tiles_of_blocks(tiles: Tiles, at: int, shifts: Blocks | None) -> torch.Tensor:
    """A tile per block [n, rows, columns], or the one tile [rows, columns] that all share."""
    if shifts is None:
        return tiles(at)
    if shifts.lattice == ():
        return tiles(at + shifts.values[0])
    return torch.stack([tiles(at + shift) for shift in shifts.values])


def product_blocks(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, init: bool) -> None:
    """C = A @ B for each block, added to C unless `init`; a shared factor has no block dimension.

    Args:
        c: [n, M, N].
        a: [n, M, K], or [M, K] for all blocks.
        b: [n, K, N], or [K, N] for all blocks.
        init: whether C starts from 0.
    """
    if a.dim() == 3 and b.dim() == 2 and a.is_contiguous() and c.is_contiguous():
        _product(c.view(-1, c.shape[2]), a.view(-1, a.shape[2]), b, init)
        return
    n = c.shape[0]
    left = a if a.dim() == 3 else a.expand(n, *a.shape)
    right = b if b.dim() == 3 else b.expand(n, *b.shape)
    if init:
        torch.bmm(left, right, out=c)
    else:
        c.baddbmm_(left, right)


def _product(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, init: bool) -> None:
    if init:
        torch.mm(a, b, out=c)
    else:
        c.addmm_(a, b)


def _split(tiles: torch.Tensor, loops: tuple[tuple[int, int], ...]) -> torch.Tensor:
    """Tiles of blocks with one dimension for each loop over the blocks."""
    if len(loops) < 2:
        return tiles
    return tiles.view(*_counts(loops), *tiles.shape[1:])


def _counts(loops: tuple[tuple[int, int], ...]) -> Shape:
    return tuple(count for count, _ in loops) or (1,)


def _steps(loops: tuple[tuple[int, int], ...]) -> Shape:
    return tuple(step for _, step in loops) or (0,)


def _overlap(shape: Shape, strides: Shape) -> bool:
    """Whether elements of a view may share memory: a dimension does not step over the smaller."""
    reach = 0
    for step, count in sorted((abs(s), c) for s, c in zip(strides, shape, strict=True) if c > 1):
        if step <= reach:
            return True
        reach += step * (count - 1)
    return False
