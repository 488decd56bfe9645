"""A vector kernel whose blocks walk over strips of rows: what overlap does shows here.

Both forms do the same; they differ in the word in front of the loop.
"""

from __future__ import annotations

import tilelang.language as T


def strips(rows=3072, columns=1024, block=64, strip=8, dtype="float32"):
    """Y = exp(X) * 2 for X and Y [rows, columns], `block` rows a block, `strip` rows at a time."""

    @T.prim_func
    def strips(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows // block, is_npu=True) as (cid, _):
            tile = T.alloc_shared((strip, columns), dtype)
            out = T.alloc_shared((strip, columns), dtype)
            for i in T.serial(block // strip):
                row = cid * block + i * strip
                T.copy(X[row : row + strip, :], tile)
                T.vexp(tile, out)
                T.vmul(out, 2.0, out)
                T.copy(out, Y[row : row + strip, :])

    return strips


def strips_pipelined(rows=3072, columns=1024, block=64, strip=8, dtype="float32"):
    """The same under T.Pipelined with three stages."""

    @T.prim_func
    def strips(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows // block, is_npu=True) as (cid, _):
            tile = T.alloc_shared((strip, columns), dtype)
            out = T.alloc_shared((strip, columns), dtype)
            for i in T.Pipelined(block // strip, num_stages=3):
                row = cid * block + i * strip
                T.copy(X[row : row + strip, :], tile)
                T.vexp(tile, out)
                T.vmul(out, 2.0, out)
                T.copy(out, Y[row : row + strip, :])

    return strips
