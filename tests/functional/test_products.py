"""Matrix products of functional runs against torch, and what on-chip memory holds before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.functional.run import FunctionalRun
from tlcourse.tolerance import tolerance

Launch = Callable[..., FunctionalRun]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(7)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    limit = tolerance(str(found.dtype).removeprefix("torch."))
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=limit, atol=limit)


def gemm(M: int, N: int, K: int, dtype: str = "float16", out: str = "float32") -> T.PrimFunc:
    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), out)):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, _):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            A_l1 = T.alloc_L1((32, 16), dtype)
            B_l1 = T.alloc_L1((16, 64), dtype)
            C_l0 = T.alloc_L0C((32, 64), "int32" if dtype == "int8" else "float32")
            for k in T.serial(K // 16):
                T.copy(A[bx : bx + 32, k * 16 : k * 16 + 16], A_l1)
                T.copy(B[k * 16 : k * 16 + 16, by : by + 64], B_l1)
                T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
            T.copy(C_l0, C[bx : bx + 32, by : by + 64])

    return gemm


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gemm_accumulates_in_float32(launch: Launch, dtype: str) -> None:
    kind = getattr(torch, dtype)
    a, b = (torch.randn(64, 96) / 96**0.5).to(kind), torch.randn(96, 128).to(kind)
    c = torch.empty(64, 128)
    launch(gemm(64, 128, 96, dtype), a, b, c)
    close(c, a.float() @ b.float())


def test_expert_fixpipe_rounds_once_to_half(launch: Launch) -> None:
    a, b = (torch.randn(32, 64) / 8).half(), torch.randn(64, 64).half()
    c = torch.empty(32, 64).half()
    launch(gemm(32, 64, 64, out="float16"), a, b, c)
    close(c, (a.float() @ b.float()).half())


def test_int8_gemm_is_exact(launch: Launch) -> None:
    a = torch.randint(-128, 128, (32, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (64, 64), dtype=torch.int8)
    c = torch.empty(32, 64, dtype=torch.int32)
    launch(gemm(32, 64, 64, "int8", "int32"), a, b, c)
    assert torch.equal(c, a.int() @ b.int())


@pytest.mark.parametrize("a_transpose", [False, True])
@pytest.mark.parametrize("b_transpose", [False, True])
def test_gemm_of_transposed_operands(launch: Launch, a_transpose: bool, b_transpose: bool) -> None:
    a_shape = (32, 48) if a_transpose else (48, 32)
    b_shape = (64, 32) if b_transpose else (32, 64)

    @T.prim_func
    def turned(
        A: T.Tensor(a_shape, "float16"),
        B: T.Tensor(b_shape, "float16"),
        C: T.Tensor((48, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1(a_shape, "float16")
            b = T.alloc_L1(b_shape, "float16")
            c = T.alloc_L0C((48, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True, a_transpose=a_transpose, b_transpose=b_transpose)
            T.copy(c, C)

    a, b, c = torch.randn(a_shape).half(), torch.randn(b_shape).half(), torch.empty(48, 64)
    launch(turned, a, b, c)
    left = a.float().t() if a_transpose else a.float()
    right = b.float().t() if b_transpose else b.float()
    close(c, left @ right)


def test_gemm_without_init_adds_to_poison(launch: Launch) -> None:
    @T.prim_func
    def forgets(
        A: T.Tensor((16, 16), "float16"),
        B: T.Tensor((16, 16), "float16"),
        C: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((16, 16), "float16")
            b = T.alloc_L1((16, 16), "float16")
            c = T.alloc_L0C((16, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c)
            T.copy(c, C)

    a, b, c = torch.ones(16, 16).half(), torch.ones(16, 16).half(), torch.zeros(16, 16)
    launch(forgets, a, b, c)
    assert c.isnan().all()


def test_poison_comes_back_in_each_block(launch: Launch) -> None:
    @T.prim_func
    def keeps(A: T.Tensor((2,), "int32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            kept = T.alloc_ub((8,), "int32")
            T.copy(kept[0:1], B[cid : cid + 1])
            T.copy(A[cid : cid + 1], kept[0:1])

    b = torch.zeros(2, dtype=torch.int32)
    launch(keeps, torch.tensor([1, 2], dtype=torch.int32), b)
    assert b.tolist() == [0x7B7B7B7B, 0x7B7B7B7B]


def minicv_developer(M: int, N: int, K: int) -> T.PrimFunc:
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, _):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            A_sh = T.alloc_shared((32, 16), "float16")
            B_sh = T.alloc_shared((16, 64), "float16")
            C_fr = T.alloc_fragment((32, 64), "float32")
            D_fr = T.alloc_fragment((32, 64), "float32")
            for k in T.Pipelined(K // 16, num_stages=2):
                T.copy(A[bx : bx + 32, k * 16 : (k + 1) * 16], A_sh)
                T.copy(B[k * 16 : (k + 1) * 16, by : by + 64], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + 32, by : by + 64])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + 32, by : by + 64])

    return minicv


def minicv_expert(M: int, N: int, K: int) -> T.PrimFunc:
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // 32) * (N // 64), is_npu=True) as (cid, vid):
            bx = cid // (N // 64) * 32
            by = cid % (N // 64) * 64
            with T.Scope("Cube"):
                A_l1 = T.alloc_L1((32, 16), "float16")
                B_l1 = T.alloc_L1((16, 64), "float16")
                C_l0 = T.alloc_L0C((32, 64), "float32")
                for k in T.serial(K // 16):
                    T.copy(A[bx : bx + 32, k * 16 : (k + 1) * 16], A_l1)
                    T.copy(B[k * 16 : (k + 1) * 16, by : by + 64], B_l1)
                    T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
                with T.rs("PIPE_FIX"):
                    T.copy(C_l0, C[bx : bx + 32, by : by + 64])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                C_ub = T.alloc_ub((16, 64), "float32")
                D_ub = T.alloc_ub((16, 64), "float32")
                row = bx + vid * 16
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + 16, by : by + 64], C_ub)
                T.vexp(C_ub, D_ub)
                T.copy(D_ub, D[row : row + 16, by : by + 64])

    return minicv


@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_minicv(launch: Launch, mode: str) -> None:
    kernel = minicv_developer(96, 128, 64) if mode == "Developer" else minicv_expert(96, 128, 64)
    a, b = (torch.randn(96, 64) / 8).half(), torch.randn(64, 128).half()
    c, d = torch.full((96, 128), torch.nan), torch.full((96, 128), torch.nan)
    assert launch(kernel, a, b, c, d, mode=mode).findings == ()
    close(c, a.float() @ b.float())
    close(d, (a.float() @ b.float()).exp())
