"""Blocks that meet, runs that cannot end, inputs that do not fit."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T
import torch

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="B")
def every_block_writes_the_same_rows(
    A: T.Tensor((4, 64), "float32"), B: T.Tensor((1, 64), "float32")
):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, B)


@TABLE.kernel(S=torch.zeros(1, 64))
def sum_without_atomic(A: T.Tensor((4, 64), "float32"), S: T.Tensor((1, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        s = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(S, s)
        T.vadd(s, a, s)
        T.copy(s, S)


@TABLE.kernel(out="B")
def tiles_overlap_by_one_row(A: T.Tensor((65, 64), "float32"), B: T.Tensor((65, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((17, 64), "float32")
        T.copy(A[cid * 16 : cid * 16 + 17, :], a)
        T.vexp(a, a)
        T.copy(a, B[cid * 16 : cid * 16 + 17, :])


@TABLE.kernel(out="B", W=torch.zeros(8, 64))
def block_reads_what_its_neighbour_writes(
    A: T.Tensor((8, 64), "float32"),
    W: T.Tensor((8, 64), "float32"),
    B: T.Tensor((8, 64), "float32"),
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, W[cid : cid + 1, :])
        T.copy(W[7 - cid : 8 - cid, :], b)
        T.copy(b, B[cid : cid + 1, :])


@TABLE.kernel(out="W B")
def output_of_another_block_is_read(
    A: T.Tensor((8, 64), "float32"),
    W: T.Tensor((8, 64), "float32"),
    B: T.Tensor((8, 64), "float32"),
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, W[cid : cid + 1, :])
        T.copy(W[(cid + 1) % 8 : (cid + 1) % 8 + 1, :], b)
        T.copy(b, B[cid : cid + 1, :])


@TABLE.kernel(S=torch.zeros(1, 64))
def one_block_writes_while_others_add(
    A: T.Tensor((4, 64), "float32"), S: T.Tensor((1, 64), "float32")
):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        if cid == 0:
            T.copy(a, S)
        else:
            T.atomic_add(S, a)


@TABLE.kernel(out="B W")
def barrier_holds_the_wrong_pipe(
    A: T.Tensor((8, 64), "float32"),
    W: T.Tensor((8, 64), "float32"),
    B: T.Tensor((8, 64), "float32"),
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        with T.rs("PIPE_MTE3"):
            T.copy(a, W[cid : cid + 1, :])
            T.block_barrier(0)
        T.copy(W[7 - cid : 8 - cid, :], b)
        T.copy(b, B[cid : cid + 1, :])


@TABLE.kernel(out="B")
def barrier_of_too_many_blocks(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(64, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, B[cid : cid + 1, :])
        T.pipe_barrier("PIPE_ALL")
        with T.rs("PIPE_S"):
            T.block_barrier(0)


@TABLE.kernel(out="B")
def barrier_that_half_of_the_blocks_come_to(
    A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, B[cid : cid + 1, :])
        if cid < 4:
            T.pipe_barrier("PIPE_ALL")
            with T.rs("PIPE_S"):
                T.block_barrier(0)


@TABLE.kernel(n=2_000_000_000)
def loop_without_end(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        for i in T.serial(n):
            T.vadd(a, 1.0, a)
        T.copy(a, A)


@TABLE.kernel(out="B", n=0)
def division_by_an_argument(
    A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        row = 32 // n
        T.copy(A, a)
        for i in T.serial(row):
            T.vadd(a, 1.0, a)
        T.copy(a, B)


@TABLE.kernel(out="B", n=40)
def slices_of_other_sizes(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((32,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[0:n], a[0 : n - 8])
        T.copy(a[0:32], B)


@TABLE.kernel(out="B", A=torch.tensor([1.0] * 40 + [-1.0] * 24))
def root_of_a_negative_number(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.vsqrt(a, a)
        T.vmul(a, a, a)
        T.copy(a, B)


@TABLE.kernel(out="B")
def grid_is_empty(A: T.Tensor((100,), "float32"), B: T.Tensor((100,), "float32")):
    with T.Kernel(100 // 128, is_npu=True) as (cid, vid):
        a = T.alloc_ub((128,), "float32")
        T.copy(A, a[0:100])
        T.copy(a[0:100], B)


@TABLE.kernel(out="B", sync=False)
def two_faults(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    """A flag is missing, and one row is never written: each is told, once."""
    with T.Kernel(3, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, B[cid : cid + 1, :])


@TABLE.kernel(out="B")
def last_rows_are_read_outside_and_one_never_written(
    A: T.Tensor((62, 32), "float32"), B: T.Tensor((65, 32), "float32")
):
    """Block 3 reads 2 rows too many, and no block comes to row 64 of B."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 32), "float32")
        T.copy(A[cid * 16 : cid * 16 + 16, :], a)
        T.copy(a, B[cid * 16 : cid * 16 + 16, :])


@TABLE.kernel(out="B")
def input_is_changed(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.vexp(a, a)
        T.copy(a, A[cid : cid + 1, :])
        T.copy(a, B[cid : cid + 1, :])
