"""Correct kernels of both cores that look wrong to a careless check: none gives a finding."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T
import torch

from zoo.case import Table, Tensors

TABLE = Table()


def _halves(a: Tensors) -> Tensors:
    c = a["A"].float() @ a["A"].float()
    return {"C": c, "D": c.exp()}


@TABLE.kernel(out="C D", block_sync=False, wanted=_halves)
def hand_over_between_the_cores(
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
                T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + 16, :], d)
            T.vexp(d, d)
            T.copy(d, D[row : row + 16, :])


@TABLE.kernel(out="C D", block_sync=False, wanted=_halves)
def odd_rows_over_two_vector_cores(
    A: T.Tensor((33, 33), "float16"),
    C: T.Tensor((33, 33), "float32"),
    D: T.Tensor((33, 33), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((33, 33), "float16")
            c = T.alloc_L0C((33, 33), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            with T.rs("PIPE_FIX"):
                T.copy(c, C)
                T.sync_block_set(0)
        with T.Scope("Vector"):
            d = T.alloc_ub((17, 33), "float32")
            row = vid * 17
            n = T.min(17, 33 - row)
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
                T.copy(C[row : row + n, :], d[0:n, :])
            T.vexp(d, d)
            T.copy(d[0:n, :], D[row : row + n, :])


def _fifteen(a: Tensors) -> Tensors:
    c = (a["A"].float() @ a["A"].float()).expand(15, 32, 32)
    return {"C": c, "D": c}


@TABLE.kernel(out="C D", block_sync=False, wanted=_fifteen)
def counter_15_deep(
    A: T.Tensor((32, 32), "float16"),
    C: T.Tensor((15, 32, 32), "float32"),
    D: T.Tensor((15, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            for i in T.serial(15):
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, C[i, :, :])
                    T.sync_block_set(1)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            for i in T.serial(15):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(1)
                    T.copy(C[i, row : row + 16, :], d)
                T.copy(d, D[i, row : row + 16, :])


def _answered(a: Tensors) -> Tensors:
    c = a["A"].float() @ a["A"].float()
    return {"D": c.expand(20, 32, 32)}


@TABLE.kernel(out="D", block_sync=False, wanted=_answered)
def workspace_that_is_handed_back(
    A: T.Tensor((32, 32), "float16"),
    W: T.Tensor((32, 32), "float32"),
    D: T.Tensor((20, 32, 32), "float32"),
):
    """More rounds than the counter holds; each waits until the last one was read."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((32, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(A, a)
            for i in T.serial(20):
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.sync_block_wait(1)
                    T.copy(c, W)
                    T.sync_block_set(0)
            with T.rs("PIPE_FIX"):
                T.sync_block_wait(1)
        with T.Scope("Vector"):
            d = T.alloc_ub((16, 32), "float32")
            row = vid * 16
            with T.rs("PIPE_MTE2"):
                T.sync_block_set(1)
            for i in T.serial(20):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(W[row : row + 16, :], d)
                    T.sync_block_set(1)
                T.copy(d, D[i, row : row + 16, :])


@TABLE.kernel(
    out="C", wanted=lambda a: {"C": torch.stack([x.float() @ a["B"].float() for x in a["A"]])}
)
def l0c_is_used_again_after_the_fixpipe(
    A: T.Tensor((4, 32, 32), "float16"),
    B: T.Tensor((32, 32), "float16"),
    C: T.Tensor((4, 32, 32), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        b = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(B, b)
        for i in T.serial(4):
            T.copy(A[i, :, :], a)
            T.gemm(a, b, c, initC=True)
            T.copy(c, C[i, :, :])


@TABLE.kernel(out="C", wanted=lambda a: {"C": a["A"].float() @ a["B"].float()})
def factor_of_twice_the_size_of_l0a(
    A: T.Tensor((512, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((512, 64), "float32"),
):
    """The matrix unit carries factors into L0A and L0B part by part, so neither overflows."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((512, 128), "float16")
        b = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((512, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C", wanted=lambda a: {"C": a["A"].float() @ a["B"].float()})
def factor_of_twice_the_size_of_l0b(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 512), "float16"),
    C: T.Tensor((64, 512), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 128), "float16")
        b = T.alloc_L1((128, 512), "float16")
        c = T.alloc_L0C((64, 512), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C", wanted=lambda a: {"C": a["A"].float() @ a["B"].float()})
def product_of_odd_sizes(
    A: T.Tensor((17, 24), "float16"),
    B: T.Tensor((24, 9), "float16"),
    C: T.Tensor((17, 9), "float32"),
):
    """The tiles in L1 hold whole blocks; what lies behind the matrix counts for nothing."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((17, 24), "float16")
        b = T.alloc_L1((24, 9), "float16")
        c = T.alloc_L0C((17, 9), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C D", mode="Developer", wanted=_halves)
def hand_over_by_the_compiler(
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
