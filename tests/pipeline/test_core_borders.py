"""Tiles that one kind of core makes and the other reads a part of, or reads in a later turn."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.jit import compile as compile_kernel

WIDE, SMALL = T.Tensor((64, 256), "float16"), T.Tensor((64, 64), "float16")
OUT = T.Tensor((64, 64), "float32")


def _products_of_parts(of_the_vector_result: bool) -> T.PrimFunc:
    @T.prim_func
    def parts(X: WIDE, W: WIDE, C: OUT, E: WIDE):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_shared((64, 256), "float16")
            e = T.alloc_shared((64, 256), "float16")
            w = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(X, x)
            T.vexp(x, e)
            for k in T.serial(2):
                T.copy(W[:, k * 128 : (k + 1) * 128], w)
                a = e if of_the_vector_result else x
                T.gemm(a[:, k * 128 : (k + 1) * 128], w, c, initC=(k == 0), b_transpose=True)
            T.copy(c, C)
            T.copy(e, E)

    return parts


@T.prim_func
def carried(X: SMALL, W: SMALL, C: OUT):
    with T.Kernel(1, is_npu=True):
        x = T.alloc_shared((64, 64), "float16")
        w = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(X, x)
        T.copy(W, w)
        T.vmul(x, 0.5, x)
        for k in T.serial(3):
            T.gemm(x, w, c, initC=(k == 0), b_transpose=True)
            T.vmul(x, 0.5, x)
        T.copy(c, C)


@T.prim_func
def part_of_a_product(X: SMALL, W: T.Tensor((128, 64), "float16"), V: SMALL, C: OUT):
    with T.Kernel(1, is_npu=True):
        x = T.alloc_shared((64, 64), "float16")
        w = T.alloc_shared((128, 64), "float16")
        v = T.alloc_shared((64, 64), "float16")
        p = T.alloc_fragment((64, 128), "float32")
        h = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(X, x)
        T.copy(W, w)
        T.copy(V, v)
        T.gemm(x, w, p, initC=True, b_transpose=True)
        T.copy(p, h)
        T.gemm(h[:, 64:128], v, c, initC=True)
        T.copy(c, C)


def _ran(kernel: T.PrimFunc, out_idx: list[int], *inputs: torch.Tensor) -> torch.Tensor:
    """The first output on the simulator, which must find nothing."""
    device.install()
    compiled = compile_kernel(kernel, target="npuir", mode="Developer", out_idx=out_idx)
    launch = compiled.launch(*[one.npu() for one in inputs], execution="simulator")
    assert launch.findings == ()
    return launch.outputs[0].cpu()


def _drawn(*shapes: tuple[int, int]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [(0.3 * torch.randn(shape, generator=generator)).half() for shape in shapes]


@pytest.mark.parametrize("of_the_vector_result", [False, True])
def test_products_of_parts_of_a_tile(of_the_vector_result: bool) -> None:
    x, w = _drawn((64, 256), (64, 256))
    wanted = (x.exp() if of_the_vector_result else x).float() @ w.float().T
    found = _ran(_products_of_parts(of_the_vector_result), [2, 3], x, w)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=2e-5)


def test_a_tile_that_each_turn_changes() -> None:
    x, w = _drawn((64, 64), (64, 64))
    wanted = 0.875 * (x.float() @ w.float().T)  # halves: 1/2 + 1/4 + 1/8, exact in float16
    torch.testing.assert_close(_ran(carried, [2], x, w), wanted, rtol=1e-5, atol=2e-5)


def test_a_part_of_a_product_is_multiplied_again() -> None:
    x, w, v = _drawn((64, 64), (128, 64), (64, 64))
    wanted = (x.float() @ w.float().T).half()[:, 64:].float() @ v.float()
    torch.testing.assert_close(_ran(part_of_a_product, [3], x, w, v), wanted, rtol=1e-5, atol=2e-5)
