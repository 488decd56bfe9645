"""What the instructions of many blocks compute at once, under the names that meanings use.

Tiles have a dimension of blocks in front, or two. Those in L1 and L0C are the matrices that
their fractals store, in the dtype that the cube multiplies in; one that all blocks share has 1
block in front. The other instructions are those of one block: what they say holds for tiles with
more dimensions.
"""

from __future__ import annotations

import torch

from tlcourse.simulator.numeric import cast as cast
from tlcourse.simulator.numeric import reduce as reduce
from tlcourse.simulator.numeric import reduce_with_index as reduce_with_index
from tlcourse.simulator.numeric import scalar as scalar
from tlcourse.simulator.numeric import shift_right as shift_right

# Longer sums are cut by torch: what was there before would be added to the first piece.
_ONE_PIECE = 128
# Torch adds up products with fewer rows or columns in another order where there are many of them.
_FEWEST = 16


def nd2nz(src: torch.Tensor, dst: torch.Tensor) -> None:
    """Rows [.., r, c] in GM into the matrix [.., rows, columns] of a tile."""
    dst[..., : src.shape[-2], : src.shape[-1]].copy_(src)


def mmad(
    a: torch.Tensor,
    b: torch.Tensor,
    init: bool,
    m: int,
    k: int,
    n: int,
    c: torch.Tensor,
    a_transpose: bool = False,
    b_transpose: bool = False,
) -> None:
    """The products c = a @ b of each block, added to c unless `init`.

    Args:
        a: [blocks or 1, m, k] or more, with `a_transpose` [.., k, m].
        b: [blocks or 1, k, n] or more, with `b_transpose` [.., n, k].
        init: start from zero.
        m: rows that count.
        k: length of the sums.
        n: columns that count.
        c: [blocks, m, n] or more.
    """
    left = a[:, :k, :m].transpose(1, 2) if a_transpose else a[:, :m, :k]
    right = b[:, :n, :k].transpose(1, 2) if b_transpose else b[:, :k, :n]
    target = c[:, :m, :n]
    direct = target.is_contiguous() and target.dtype == left.dtype
    if direct and init:
        _product(left, right, target)
    elif direct and k <= _ONE_PIECE and min(m, n) >= _FEWEST:
        target.baddbmm_(*_spread(left, right, target.shape[0]))
    else:
        product = left.new_empty(target.shape)
        _product(left, right, product)
        if init:
            target.copy_(product)
        else:
            target.add_(product.to(target.dtype))


def fixpipe(
    src: torch.Tensor, dst: torch.Tensor, nz2nd: bool = True, relu: str = "NO_RELU"
) -> None:
    """The matrix of a tile to rows [.., r, c] in GM, with relu and a cast on the way."""
    value = src[..., : dst.shape[-2], : dst.shape[-1]]
    if relu == "NORMAL_RELU":
        value = value.clamp_min(0)
    if value.dtype == dst.dtype:
        dst.copy_(value)
    else:
        cast(value, dst)


def _product(left: torch.Tensor, right: torch.Tensor, out: torch.Tensor) -> None:
    """Left @ right for each block; one that all share is used as it is."""
    blocks, m, n = out.shape
    if min(m, n) < _FEWEST:
        for a, b, c in zip(*_spread(left, right, blocks), out, strict=True):
            torch.mm(a, b, out=c)
        return
    if right.shape[0] == 1 and left.shape[0] == blocks and left.is_contiguous():
        torch.mm(left.reshape(blocks * m, -1), right[0], out=out.view(blocks * m, n))
        return
    torch.bmm(*_spread(left, right, blocks), out=out)


def _spread(
    left: torch.Tensor, right: torch.Tensor, blocks: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Both factors for each block."""
    return left.expand(blocks, -1, -1), right.expand(blocks, -1, -1)
