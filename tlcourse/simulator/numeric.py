"""What HIVM's instructions compute, in torch, under the names that their meanings use.

Tiles in L1 and L0C are fractal: `[c1, r1, 16, c0]` holds the matrix whose element (r, c) is
`[c // c0, r // 16, r % 16, c % c0]`, with c0 = 32 bytes in L1 and 16 elements in L0C. Tails
keep to the rows and columns that exist; the rest of a fractal stays as it was.
"""

from __future__ import annotations

import torch

# Instructions that both executors compute alike.
from tlcourse.tile_casts import converted
from tlcourse.tile_math import arange as arange
from tlcourse.tile_math import concat as concat
from tlcourse.tile_math import cumprod as cumprod
from tlcourse.tile_math import cumsum as cumsum
from tlcourse.tile_math import deinterleave as deinterleave
from tlcourse.tile_math import flip as flip
from tlcourse.tile_math import gather as gather
from tlcourse.tile_math import interleave as interleave
from tlcourse.tile_math import multiply_extended as multiply_extended
from tlcourse.tile_math import pad as pad
from tlcourse.tile_math import reduce as reduce
from tlcourse.tile_math import reduce_with_index as reduce_with_index
from tlcourse.tile_math import shift_right as shift_right
from tlcourse.tile_math import sort as sort
from tlcourse.tile_math import transpose as transpose


def scalar(value: float | int, like: torch.Tensor) -> torch.Tensor:
    """A scalar operand as a tensor without dimensions, rounded to the dtype of `like`."""
    return torch.tensor(value, dtype=like.dtype)


def cast(src: torch.Tensor, dst: torch.Tensor, round_mode: str = "rint") -> None:
    """Converts elements as `tile_casts.converted`; `src` and `dst` may share bytes."""
    dst.copy_(converted(src, dst.dtype, round_mode))


def nd2nz(src: torch.Tensor, dst: torch.Tensor) -> None:
    """Row-major [rows, columns] in GM to a fractal tile in L1."""
    rows, columns = src.shape
    c0 = dst.shape[3]
    if rows % 16 == 0 and columns % c0 == 0:
        parts = src.reshape(rows // 16, 16, columns // c0, c0).permute(2, 0, 1, 3)
        dst[: columns // c0, : rows // 16].copy_(parts)
        return
    whole = _matrix(dst, ceil_to(rows, 16), ceil_to(columns, c0))
    whole[:rows, :columns] = src
    nd2nz(whole, dst)


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
    """The matrix product c = a @ b, added to c unless `init`.

    Args:
        a: fractal tile of [m, k] in L1, of [k, m] with `a_transpose`.
        b: fractal tile of [k, n] in L1, of [n, k] with `b_transpose`.
        init: start from zero.
        m: rows that count.
        k: length of the sums.
        n: columns that count.
        c: fractal tile of [m, n] in L0C, float32, or int32 for int8.

    Half precision is multiplied and added in float32, int8 exactly.
    """
    wide = torch.float64 if c.dtype == torch.int32 else torch.float32
    left = _matrix(a, k, m, wide).t() if a_transpose else _matrix(a, m, k, wide)
    right = _matrix(b, n, k, wide).t() if b_transpose else _matrix(b, k, n, wide)
    product = torch.mm(left, right).to(c.dtype)
    if m % 16 or n % 16:
        whole = _matrix(c, ceil_to(m, 16), ceil_to(n, 16))
        whole[:m, :n] = product if init else whole[:m, :n] + product
        product, init, m, n = whole, True, *whole.shape
    parts = product.view(m // 16, 16, n // 16, 16).permute(2, 0, 1, 3)
    target = c[: n // 16, : m // 16]
    if init:
        target.copy_(parts)
    else:
        target.add_(parts)


def fixpipe(
    src: torch.Tensor, dst: torch.Tensor, nz2nd: bool = True, relu: str = "NO_RELU"
) -> None:
    """A fractal tile in L0C to GM, row-major with `nz2nd`, with relu and a cast on the way."""
    value = _matrix(src, dst.shape[0], dst.shape[1]) if nz2nd else src
    if relu == "NORMAL_RELU":
        value = value.clamp_min(0)
    if value.dtype == dst.dtype:
        dst.copy_(value)
    else:
        cast(value, dst)


def ceil_to(value: int, multiple: int) -> int:
    """The smallest multiple that is not below a value."""
    return -(-value // multiple) * multiple


def _matrix(
    tile: torch.Tensor, rows: int, columns: int, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """A copy of the first rows and columns of a fractal tile, contiguous."""
    c0 = tile.shape[3]
    r1, c1 = -(-rows // 16), -(-columns // c0)
    if tile.shape[0] < c1 or tile.shape[1] < r1:
        held = f"{tile.shape[1] * 16} x {tile.shape[0] * c0}"
        raise ValueError(f"a fractal tile of {held} elements cannot hold {rows} x {columns}")
    out = torch.empty((r1, 16, c1, c0), dtype=dtype or tile.dtype)
    out.copy_(tile[:c1, :r1].permute(1, 2, 0, 3))
    return out.view(r1 * 16, c1 * c0)[:rows, :columns]
