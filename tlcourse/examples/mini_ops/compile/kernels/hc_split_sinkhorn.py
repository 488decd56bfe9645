"""Weights of hyper-connections: two gates, and a matrix whose rows and columns sum to one.

A token has few numbers, so tokens lie along the rows here: each of the (2 + hc) * hc numbers is a
row of `block` tokens, and every step works on whole rows.
"""

from __future__ import annotations

import tilelang.language as T


@T.macro
def gate(x, scale, base, work, hc, at, which):
    """Rows `at` to `at + hc` of x become sigmoid(x * scale + base), in `work`."""
    for i in T.serial(hc):
        T.vmul(x[at + i : at + i + 1, :], scale[0, which], work[i : i + 1, :])
        T.vadd(work[i : i + 1, :], base[0, at + i], work[i : i + 1, :])
    T.vsigmoid(work, work)


@T.macro
def divide_rows(c, total, hc, eps):
    """Each entry by the sum of its row."""
    for i in T.serial(hc):
        T.reduce_sum(c[i * hc : (i + 1) * hc, :], total, dim=0)
        T.vadd(total, eps, total)
        T.vdiv(c[i * hc : (i + 1) * hc, :], total, c[i * hc : (i + 1) * hc, :])


@T.macro
def divide_columns(c, total, hc, eps):
    """Each entry by the sum of its column."""
    for j in T.serial(hc):
        T.vbrc(eps, total)
        for i in T.serial(hc):
            T.vadd(total, c[i * hc + j : i * hc + j + 1, :], total)
        for i in T.serial(hc):
            T.vdiv(c[i * hc + j : i * hc + j + 1, :], total, c[i * hc + j : i * hc + j + 1, :])


def hc_split_sinkhorn(M, hc, turns, eps=1e-6, block=64):
    """X [(2 + hc) * hc, M], Y of the same shape, scales [1, 3] and bases [1, (2 + hc) * hc].

    Rows of Y: hc of sigmoid + eps, hc of 2 * sigmoid, hc * hc of the matrix, made by softmax and
    `turns` of dividing by row and column sums. All float32.
    """
    rows = (2 + hc) * hc

    @T.prim_func
    def hc_split_sinkhorn(
        X: T.Tensor((rows, M), "float32"),
        scales: T.Tensor((1, 3), "float32"),
        bases: T.Tensor((1, rows), "float32"),
        Y: T.Tensor((rows, M), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block), is_npu=True) as (cid, _):
            at = cid * block
            count = T.min(block, M - at)
            x = T.alloc_ub((rows, block), "float32")
            work = T.alloc_ub((hc, block), "float32")
            c = T.alloc_ub((hc * hc, block), "float32")
            total = T.alloc_ub((1, block), "float32")
            T.vbrc(0.0, x)
            T.copy(X[:, at : at + count], x[:, 0:count])
            gate(x, scales, bases, work, hc, 0, 0)
            T.vadd(work, eps, work)
            T.copy(work[:, 0:count], Y[0:hc, at : at + count])
            gate(x, scales, bases, work, hc, hc, 1)
            T.vmul(work, 2.0, work)
            T.copy(work[:, 0:count], Y[hc : 2 * hc, at : at + count])
            for i in T.serial(hc * hc):
                T.vmul(x[2 * hc + i : 2 * hc + i + 1, :], scales[0, 2], c[i : i + 1, :])
                T.vadd(c[i : i + 1, :], bases[0, 2 * hc + i], c[i : i + 1, :])
            for i in T.serial(hc):
                T.reduce_max(c[i * hc : (i + 1) * hc, :], total, dim=0)
                T.vsub(c[i * hc : (i + 1) * hc, :], total, c[i * hc : (i + 1) * hc, :])
            T.vexp(c, c)
            divide_rows(c, total, hc, 0.0)
            T.vadd(c, eps, c)
            divide_columns(c, total, hc, eps)
            for _ in T.serial(turns - 1):
                divide_rows(c, total, hc, eps)
                divide_columns(c, total, hc, eps)
            T.copy(c[:, 0:count], Y[2 * hc : rows, at : at + count])

    return hc_split_sinkhorn
