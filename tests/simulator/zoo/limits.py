"""What does not fit, what has no way, and numbers that get lost."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T
import torch

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="B")
def ub_is_too_small(A: T.Tensor((256, 256), "float32"), B: T.Tensor((256, 256), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((256, 256), "float32")
        b = T.alloc_ub((256, 256), "float32")
        T.copy(A, a)
        T.vexp(a, b)
        T.vadd(a, b, b)
        T.copy(b, B)


@TABLE.kernel(out="C")
def l0c_is_too_small(
    A: T.Tensor((256, 32), "float16"),
    B: T.Tensor((32, 160), "float16"),
    C: T.Tensor((256, 160), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((256, 32), "float16")
        b = T.alloc_L1((32, 160), "float16")
        c = T.alloc_L0C((256, 160), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="C")
def l1_is_too_small(
    A: T.Tensor((128, 1536), "float16"),
    B: T.Tensor((1536, 128), "float16"),
    C: T.Tensor((128, 128), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((128, 1536), "float16")
        b = T.alloc_L1((1536, 128), "float16")
        c = T.alloc_L0C((128, 128), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, initC=True)
        T.copy(c, C)


@TABLE.kernel(out="B")
def misaligned_start_in_ub(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16,), "float32")
        T.copy(A[0:8], a[1:9])
        T.copy(a[1:9], B)


@TABLE.kernel(out="B", n=3)
def misaligned_by_an_argument(
    A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((32,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.copy(a[n : n + 32], B)


@TABLE.kernel(out="B")
def misaligned_in_odd_blocks(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32")):
    """Block 0 starts at byte 0, block 1 at byte 16."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32,), "float32")
        T.copy(A[cid, :], a[cid * 4 : cid * 4 + 8])
        T.vexp(a[cid * 4 : cid * 4 + 8], a[0:8])
        T.copy(a[0:8], B[cid, :])


@TABLE.kernel(out="C")
def no_way_from_ub_to_l0c(A: T.Tensor((32, 32), "float32"), C: T.Tensor((32, 32), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 32), "float32")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a)
        T.copy(a, c)
        T.copy(c, C)


@TABLE.kernel(out="B", mode="Developer")
def bools_come_from_gm(A: T.Tensor((32,), "bool"), B: T.Tensor((32,), "bool")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_shared((32,), "bool")
        T.copy(A, a)
        T.copy(a, B)


@TABLE.kernel(out="C")
def vector_op_on_l1(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        T.copy(A, a)
        T.vexp(a, a)
        T.gemm(a, a, c, initC=True)
        T.copy(c, C)


_BIG = torch.full((16, 64), 60.0, dtype=torch.float16)


@TABLE.kernel(out="S", Q=_BIG, K=_BIG)
def scores_overflow_in_float16(
    Q: T.Tensor((16, 64), "float16"),
    K: T.Tensor((16, 64), "float16"),
    S: T.Tensor((16, 16), "float16"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        q = T.alloc_L1((16, 64), "float16")
        k = T.alloc_L1((16, 64), "float16")
        s = T.alloc_L0C((16, 16), "float32")
        T.copy(Q, q)
        T.copy(K, k)
        T.gemm(q, k, s, initC=True, b_transpose=True)
        T.copy(s, S)


@TABLE.kernel(out="B", A=torch.zeros(64))
def division_of_zero_by_zero(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.vdiv(a, a, b)
        T.copy(b, B)


@TABLE.kernel(out="B", bounds="device")
def read_beside_the_tensor(A: T.Tensor((100,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[cid * 64 : cid * 64 + 64], a)
        T.copy(a, B[cid * 64 : cid * 64 + 64])


@TABLE.kernel(out="B", ub_bytes=65536)
def compiled_for_a_larger_chip(
    A: T.Tensor((128, 64), "float32"), B: T.Tensor((128, 64), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((128, 64), "float32")
        b = T.alloc_ub((128, 64), "float32")
        c = T.alloc_ub((128, 64), "float32")
        T.copy(A, a)
        T.vexp(a, b)
        T.vadd(a, b, c)
        T.vadd(a, c, c)
        T.vadd(b, c, c)
        T.copy(c, B)
