"""Factors whose tail is filled with zeros: a part of a vector tile comes from global memory."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.jit import compile as compile_kernel


@T.prim_func
def product(
    A: T.Tensor((16, 40), "float16"),
    B: T.Tensor((40, 16), "float16"),
    C: T.Tensor((16, 16), "float32"),
):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((16, 32), "float16")
        b = T.alloc_shared((32, 16), "float16")
        c = T.alloc_fragment((16, 16), "float32")
        for j in T.serial(2):
            n = T.min(32, 40 - j * 32)
            T.vbrc(0.0, a)
            T.vbrc(0.0, b)
            T.copy(A[:, j * 32 : j * 32 + n], a[:, 0:n])
            T.copy(B[j * 32 : j * 32 + n, :], b[0:n, :])
            T.gemm(a, b, c, initC=(j == 0))
        T.copy(c, C)


@pytest.mark.parametrize("execution", ["functional", "simulator"])
def test_zeros_behind_the_tail_count(execution: str) -> None:
    device.install()
    torch.manual_seed(0)
    a, b = torch.randn(16, 40).half(), torch.randn(40, 16).half()
    kernel = compile_kernel(product, out_idx=[2], mode="Developer")
    launch = kernel.launch(a.npu(), b.npu(), execution=execution)
    assert launch.findings == ()
    torch.testing.assert_close(launch.outputs[0].cpu(), a.float() @ b.float(), rtol=1e-4, atol=1e-4)
