"""Six loops of T.Parallel, for questions about what becomes of each."""

from __future__ import annotations

import tilelang.language as T


def six_loops(N=64):
    """The loops stand one after the other, each over a row of N elements or one less."""

    @T.prim_func
    def loops(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            a = T.alloc_shared((N,), "float32")
            b = T.alloc_shared((N,), "float32")
            c = T.alloc_shared((N,), "float32")
            T.copy(X, a)
            T.copy(X, b)
            T.copy(X, c)
            for i in T.Parallel(N - 1):  # loop 1
                c[i] = T.exp(a[i + 1]) / b[i]
            for i in T.Parallel(N):  # loop 2
                b[i] = a[i] * 2.0
                c[i] = b[i] + c[i]
            for i in T.Parallel(N):  # loop 3
                c[i] = T.if_then_else(a[i] > 0.0, b[i], c[i])
            for i in T.Parallel(N):  # loop 4
                if a[i] > 0.0:
                    c[i] = c[i] + a[i]
            for i in T.Parallel(N):  # loop 5
                b[N - 1 - i] = c[i]
            for i in T.Parallel(N - 1):  # loop 6
                b[i + 1] = b[i] + a[i]
            T.copy(b, Y)

    return loops
