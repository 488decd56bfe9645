"""Tiles out of bounds, and memory that nobody wrote."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="B")
def read_past_the_rows(A: T.Tensor((100, 32), "float32"), B: T.Tensor((128, 32), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 32), "float32")
        T.copy(A[cid * 64 : cid * 64 + 64, :], a)
        T.copy(a, B[cid * 64 : cid * 64 + 64, :])


@TABLE.kernel(out="B")
def write_past_the_end(A: T.Tensor((256,), "float32"), B: T.Tensor((200,), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((128,), "float32")
        T.copy(A[cid * 128 : cid * 128 + 128], a)
        T.copy(a, B[cid * 128 : cid * 128 + 128])


@TABLE.kernel(out="B")
def read_past_the_columns(A: T.Tensor((2, 4, 100), "float32"), B: T.Tensor((2, 4, 128), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 64), "float32")
        for i in T.serial(2):
            T.copy(A[cid, 0:4, i * 64 : i * 64 + 64], a)
            T.copy(a, B[cid, 0:4, i * 64 : i * 64 + 64])


@TABLE.kernel(out="B")
def start_before_the_first_row(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 32), "float32")
        T.copy(A[cid * 16 - 1 : cid * 16 + 15, :], a)
        T.copy(a, B[cid * 16 : cid * 16 + 16, :])


@TABLE.kernel(out="B")
def one_block_too_many(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(3, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[cid * 64 : cid * 64 + 64], a)
        T.vexp(a, a)
        T.copy(a, B[cid * 64 : cid * 64 + 64])


@TABLE.kernel(out="B")
def tail_of_a_block_behind_the_end(
    A: T.Tensor((40, 16), "float32"), B: T.Tensor((40, 16), "float32")
):
    """Block 3 starts at row 48 of 40: T.min gives -8 rows."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 16), "float32")
        n = T.min(16, 40 - cid * 16)
        T.copy(A[cid * 16 : cid * 16 + n, :], a[0:n, :])
        T.vexp(a, a)
        T.copy(a[0:n, :], B[cid * 16 : cid * 16 + n, :])


@TABLE.kernel(out="B", n=70)
def slice_of_a_tile_in_ub(
    A: T.Tensor((128,), "float32"), n: T.int32, B: T.Tensor((70,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[0:n], a[0:n])
        T.copy(a[0:n], B[0:n])


@TABLE.kernel(out="B")
def element_behind_the_tile(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        for i in T.serial(64):
            a[i] = a[i] + a[i + 1]
        T.copy(a, B)


@TABLE.kernel(out="C")
def cube_reads_past_the_rows(
    A: T.Tensor((60, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((64, 32), "float32"),
):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A[cid * 32 : cid * 32 + 32, :], a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C[cid * 32 : cid * 32 + 32, :])


@TABLE.kernel(out="C")
def fixpipe_past_the_columns(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 64), "float16"),
    C: T.Tensor((32, 50), "float32"),
):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a)
        T.copy(B[:, cid * 32 : cid * 32 + 32], b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C[:, cid * 32 : cid * 32 + 32])


@TABLE.kernel(out="C", n=40)
def slice_of_a_tile_in_l1(
    A: T.Tensor((64, 32), "float16"), n: T.int32, C: T.Tensor((32, 32), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A[0:n, :], a[0:n, :])
        T.gemm(a, a, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="B")
def tile_that_nobody_loaded(B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.vexp(a, b)
        T.copy(b, B)


@TABLE.kernel(out="B")
def tail_of_the_tile_is_empty(A: T.Tensor((40,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a[0:40])
        T.vexp(a, a)
        T.copy(a, B)


@TABLE.kernel(out="C")
def sum_over_a_tail_in_l1(
    A: T.Tensor((32, 24), "float16"),
    B: T.Tensor((24, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a[:, 0:24])
        T.copy(B, b[0:24, :])
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C")
def init_forgotten(
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
        T.gemm(a, b, c)
        T.copy(c, C)


@TABLE.kernel(out="B")
def maximum_starts_from_nothing(A: T.Tensor((4, 64), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        m = T.alloc_ub((1, 64), "float32")
        for i in T.serial(4):
            T.copy(A[i : i + 1, :], a)
            T.vmax(m, a, m)
        T.copy(m, B)


@TABLE.kernel(out="B C")
def output_is_read_first(B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        b = T.alloc_ub((64,), "float32")
        T.copy(B, b)
        T.vadd(b, 1.0, b)
        T.copy(b, B)
        T.copy(b, C)


@TABLE.kernel(out="B", n=3)
def scalar_from_an_empty_tile(
    A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        s = T.alloc_ub((8,), "float32")
        T.copy(A, a)
        T.vmul(a, s[n], a)
        T.copy(a, B)


@TABLE.kernel(out="B")
def rows_that_no_block_writes(A: T.Tensor((100, 32), "float32"), B: T.Tensor((100, 32), "float32")):
    with T.Kernel(100 // 32, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 32), "float32")
        T.copy(A[cid * 32 : cid * 32 + 32, :], a)
        T.copy(a, B[cid * 32 : cid * 32 + 32, :])


@TABLE.kernel(out="B C")
def output_that_nobody_writes(
    A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.copy(a, B)


@TABLE.kernel(out="C D")
def odd_row_of_the_halves(
    A: T.Tensor((33, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((33, 32), "float32"),
    D: T.Tensor((33, 32), "float32"),
):
    """33 rows, two vector cores, 16 rows each."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((33, 32), "float16")
            b = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((33, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])
