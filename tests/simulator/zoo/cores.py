"""Races, deadlocks and counters between the cores of a block."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="C D")
def vector_reads_before_the_cube_wrote(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            b = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True)
            T.copy(c, C)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])


@TABLE.kernel(out="C D", mode="Developer", block_sync=False)
def compiler_leaves_out_the_flags_between_the_cores(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        d = T.alloc_fragment((32, 32), "float32")
        T.copy(A, a)
        T.gemm(a, a, c, initC=True)
        T.copy(c, C)
        T.vexp(c, d)
        T.copy(d, D)


@TABLE.kernel(out="C", block_sync=False)
def cube_reads_before_the_vectors_wrote(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    W: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Vector"):
            v = T.alloc_ub((16, 32), "float16")
            row = vid * 16
            T.copy(A[row : row + 16, :], v)
            T.vexp(v, v)
            T.copy(v, W[row : row + 16, :])
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            b = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(W, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True)
            T.copy(c, C)


@TABLE.kernel(out="C D", block_sync=False)
def cube_overwrites_what_the_vectors_read(
    A: T.Tensor((4, 32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((4, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            b = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(B, b)
            for i in T.serial(4):
                T.copy(A[i, :, :], a)
                T.gemm(a, b, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, C)
                    T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            for i in T.serial(4):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + 16, :], d)
                T.vexp(d, d)
                T.copy(d, D[i, row : row + 16, :])


@TABLE.kernel(out="B", block_sync=False)
def vector_cores_write_the_same_rows(
    A: T.Tensor((32, 32), "float16"),
    B: T.Tensor((32, 32), "float32"),
    C: T.Tensor((32, 32), "float32"),
):
    """Both halves start at row 0 and reach one row too far."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            v = T.alloc_ub((17, 32), "float32")
            row = vid * 15
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 17, :], v)
            T.vexp(v, v)
            T.copy(v, B[row : row + 17, :])


@TABLE.kernel(out="B", block_sync=False)
def vector_core_reads_what_the_other_writes(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    W: T.Tensor((32, 32), "float32"),
    B: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            v = T.alloc_ub((16, 32), "float32")
            u = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            other = 16 - row
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], v)
            T.vexp(v, v)
            T.copy(v, W[row : row + 16, :])
            T.copy(W[other : other + 16, :], u)
            T.copy(u, B[row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False)
def cube_raises_nothing(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False)
def cube_raises_another_id(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(1)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False)
def both_cores_wait_first(
    A: T.Tensor((32, 32), "float16"),
    W: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(1)
                T.copy(W, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            v = T.alloc_ub((16, 32), "float16")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])
            T.copy(A[row : row + 16, :], v)
            with T.rs("PIPE_MTE3"):
                T.copy(v, W[row : row + 16, :])
                T.sync_block_set(1)


@TABLE.kernel(out="C", block_sync=False)
def one_sub_block_raises_nothing(
    A: T.Tensor((32, 32), "float16"),
    W: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Vector"):
            v = T.alloc_ub((32, 32), "float16")
            if vid == 0:
                T.copy(A, v)
                with T.rs("PIPE_MTE3"):
                    T.copy(v, W)
                    T.sync_block_set(0)
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(W, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)


@TABLE.kernel(out="C D", block_sync=False)
def barrier_that_one_vector_core_comes_to_twice(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    """The loop turns 2 times on vector core 0, once on vector core 1."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
            for i in T.serial(2 - vid):
                T.copy(C[row : row + 16, :], d)
                T.vexp(d, d)
                T.copy(d, D[row : row + 16, :])
                T.pipe_barrier("PIPE_ALL")
                with T.rs("PIPE_S"):
                    T.subblock_barrier(5)


@TABLE.kernel(out="C D", block_sync=False)
def vectors_wait_once_for_four_raises(
    A: T.Tensor((4, 32, 32), "float16"),
    C: T.Tensor((4, 32, 32), "float32"),
    D: T.Tensor((32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            for i in T.serial(4):
                T.copy(A[i, :, :], a)
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, C[i, :, :])
                    T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[0, row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False)
def counter_over_15(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((20, 32, 32), "float32"),
    D: T.Tensor((20, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            for i in T.serial(20):
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, C[i, :, :])
                    T.sync_block_set(1)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            for i in T.serial(20):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(1)
                    T.copy(C[i, row : row + 16, :], d)
                T.copy(d, D[i, row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False)
def flag_id_is_the_loop_variable(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((17, 32, 32), "float32"),
    D: T.Tensor((17, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            for i in T.serial(17):
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, C[i, :, :])
                    T.sync_block_set(i)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            for i in T.serial(17):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(i)
                    T.copy(C[i, row : row + 16, :], d)
                T.copy(d, D[i, row : row + 16, :])
