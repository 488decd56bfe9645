"""Races and barriers inside a core: each pair of pipes that data passes between."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="B", sync=False)
def load_before_vector(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.vexp(a, a)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", mode="Developer", sync=False)
def compiler_leaves_out_a_flag(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_shared((64,), "float32")
        T.copy(A, a)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def vector_before_store(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 0)
        T.vexp(a, b)
        T.copy(b, B)


@TABLE.kernel(out="B", sync=False)
def load_before_store(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def two_vector_ops_without_barrier(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 0)
        T.vexp(a, a)
        T.vabs(a, a)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(a, B)


@TABLE.kernel(out="C", sync=False)
def tile_is_loaded_again_too_early(
    A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        total = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 0)
        T.vexp(a, total)
        T.copy(B, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 1)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 1)
        T.pipe_barrier("PIPE_V")
        T.vadd(total, a, total)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(total, C)


@TABLE.kernel(out="B", sync=False)
def result_is_overwritten_before_it_is_stored(
    A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((1, 64), "float32")
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE2", 0)
        for i in T.serial(4):
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_V", 0)
                T.copy(A[i : i + 1, :], a)
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
                T.vexp(a, b)
                T.set_flag("PIPE_MTE2", 0)
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_V", 0)
                T.copy(b, B[i : i + 1, :])
        with T.rs("PIPE_MTE2"):
            T.wait_flag("PIPE_V", 0)


@TABLE.kernel(out="B", sync=False)
def tile_is_loaded_again_while_it_is_stored(
    A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        for i in T.serial(4):
            T.copy(A[i : i + 1, :], a)
            with T.rs("PIPE_MTE2"):
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_MTE2", 0)
            T.copy(a, B[i : i + 1, :])


@TABLE.kernel(out="B D", sync=False)
def wait_missing_in_the_first_of_two_loops(
    A: T.Tensor((4, 64), "float32"),
    B: T.Tensor((4, 64), "float32"),
    C: T.Tensor((4, 64), "float32"),
    D: T.Tensor((4, 64), "float32"),
):
    """The waits of the second loop take what the first has raised; only the first is wrong."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        c = T.alloc_ub((2, 64), "float32")
        for p in T.serial(2):
            with T.rs("PIPE_MTE3"):
                T.set_flag("PIPE_MTE2", p)
        for i in T.serial(4):
            p = i % 2
            with T.rs("PIPE_MTE2"):
                T.copy(A[i : i + 1, :], a[p : p + 1, :])
                T.set_flag("PIPE_MTE3", p)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_MTE2", p)
                T.copy(a[p : p + 1, :], B[i : i + 1, :])
                T.set_flag("PIPE_MTE2", p)
        for j in T.serial(4):
            q = j % 2
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", q)
                T.copy(C[j : j + 1, :], c[q : q + 1, :])
                T.set_flag("PIPE_MTE3", q)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_MTE2", q)
                T.copy(c[q : q + 1, :], D[j : j + 1, :])
                T.set_flag("PIPE_MTE2", q)
        for p in T.serial(2):
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", p)


@TABLE.kernel(out="B", sync=False)
def two_loads_into_one_tile(A: T.Tensor((2, 64), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[0:1, :], a)
        T.copy(A[1:2, :], a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def two_stores_to_one_place(A: T.Tensor((2, 64), "float32"), B: T.Tensor((1, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a[0:1, :], B)
        T.copy(a[1:2, :], B)


@TABLE.kernel(out="C", sync=False)
def wait_of_the_wrong_pipe(
    A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
):
    """A flag for MTE3 does not hold V back."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.vexp(a, b)
        T.copy(a, B)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(b, C)


@TABLE.kernel(out="D", sync=False, n=0)
def flag_only_in_a_branch(
    A: T.Tensor((64,), "float32"),
    B: T.Tensor((64,), "float32"),
    n: T.int32,
    D: T.Tensor((64,), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        if n > 0:
            T.copy(B, a)
            with T.rs("PIPE_MTE2"):
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
        T.vadd(a, a, b)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(b, D)


@TABLE.kernel(out="B", sync=False)
def scalar_reads_before_the_load(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.vbrc(a[5], b)
        with T.rs("PIPE_V"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(b, B)


@TABLE.kernel(out="B", sync=False)
def vector_starts_before_the_scalar_store(B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.vbrc(1.0, a)
        a[3] = 7.0
        with T.rs("PIPE_S"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_S", 0)
        T.copy(a, B)


@TABLE.kernel(out="C", sync=False)
def product_before_the_load(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE1", 0)
        T.copy(B, b)
        with T.rs("PIPE_MTE1"):
            T.wait_flag("PIPE_MTE2", 0)
        T.gemm(a, b, c, initC=True)
        with T.rs("PIPE_M"):
            T.set_flag("PIPE_FIX", 0)
        with T.rs("PIPE_FIX"):
            T.wait_flag("PIPE_M", 0)
        T.copy(c, C)


@TABLE.kernel(out="C", sync=False)
def fixpipe_before_the_product(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a)
        T.copy(B, b)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE1", 0)
        with T.rs("PIPE_MTE1"):
            T.wait_flag("PIPE_MTE2", 0)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C", sync=False)
def l1_is_loaded_again_before_the_product(
    A: T.Tensor((32, 128), "float16"),
    B: T.Tensor((128, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        for k in T.serial(4):
            T.copy(A[:, k * 32 : k * 32 + 32], a)
            T.copy(B[k * 32 : k * 32 + 32, :], b)
            with T.rs("PIPE_MTE2"):
                T.set_flag("PIPE_MTE1", 0)
            with T.rs("PIPE_MTE1"):
                T.wait_flag("PIPE_MTE2", 0)
            T.gemm(a, b, c, initC=(k == 0))
        with T.rs("PIPE_M"):
            T.set_flag("PIPE_FIX", 0)
        with T.rs("PIPE_FIX"):
            T.wait_flag("PIPE_M", 0)
        T.copy(c, C)


@TABLE.kernel(out="C", sync=False)
def l0c_is_multiplied_into_before_it_is_out(
    A: T.Tensor((2, 32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((2, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a0 = T.alloc_L1((32, 32), "float16")
        a1 = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A[0, :, :], a0)
        T.copy(A[1, :, :], a1)
        T.copy(B, b)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE1", 0)
        with T.rs("PIPE_MTE1"):
            T.wait_flag("PIPE_MTE2", 0)
        T.gemm(a0, b, c, initC=True)
        with T.rs("PIPE_M"):
            T.set_flag("PIPE_FIX", 0)
        with T.rs("PIPE_FIX"):
            T.wait_flag("PIPE_M", 0)
        T.copy(c, C[0, :, :])
        T.gemm(a1, b, c, initC=True)
        with T.rs("PIPE_M"):
            T.set_flag("PIPE_FIX", 1)
        with T.rs("PIPE_FIX"):
            T.wait_flag("PIPE_M", 1)
        T.copy(c, C[1, :, :])
