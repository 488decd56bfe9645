"""Meanings of ops whose tiles have not got their fractal layout yet; the rest is shared.

Before `hivm-infer-data-layout` tiles of the cube core are matrices, afterwards they are
`[c1, r1, 16, c0]`; which of the two a tile is shows in its rank.
"""

from __future__ import annotations

import torch

from tlcourse.simulator import numeric as fractal
from tlcourse.simulator.numeric import *  # noqa: F403


def nd2nz(src: torch.Tensor, dst: torch.Tensor) -> None:
    """Row-major in GM to a tile in L1."""
    if dst.dim() == 4:
        fractal.nd2nz(src, dst)
    else:
        dst.copy_(src.reshape(dst.shape))


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
    """The product c = a @ b, added to c unless `init`; sums in float32, those of int8 exactly."""
    if a.dim() == 4:
        fractal.mmad(a, b, init, m, k, n, c, a_transpose, b_transpose)
        return
    wide = torch.float64 if c.dtype == torch.int32 else torch.float32
    left = (a.t() if a_transpose else a)[:m, :k].to(wide)
    right = (b.t() if b_transpose else b)[:k, :n].to(wide)
    product = (left @ right).to(c.dtype)
    target = c[:m, :n]
    target.copy_(product if init else target + product)


def fixpipe(
    src: torch.Tensor, dst: torch.Tensor, nz2nd: bool = True, relu: str = "NO_RELU"
) -> None:
    """A tile in L0C to row-major, with relu and a cast on the way."""
    if src.dim() == 4:
        fractal.fixpipe(src, dst, nz2nd, relu)
        return
    value = src.clamp_min(0) if relu == "NORMAL_RELU" else src
    if value.dtype == dst.dtype:
        dst.copy_(value.reshape(dst.shape))
    else:
        fractal.cast(value.reshape(dst.shape), dst)
