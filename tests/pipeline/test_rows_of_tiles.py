"""Developer operations into one row of a tile: the result lacks the tile's first dimension."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Backend

IN, OUT = T.Tensor((16,), "float32"), T.Tensor((4, 16), "float32")


@T.prim_func
def sums(A: IN, B: OUT):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((16,), "float32")
        b = T.alloc_shared((4, 16), "float32")
        T.copy(A, a)
        T.vbrc(0.0, b)
        T.copy(a, b[1, :])
        T.vadd(a, b[1, :], b[2, :])
        T.vmul(a, 3.0, b[3, :])
        T.copy(b, B)


@T.prim_func
def casts(A: IN, B: OUT):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((16,), "float32")
        half = T.alloc_shared((4, 16), "float16")
        b = T.alloc_shared((4, 16), "float32")
        T.copy(A, a)
        T.vbrc(0.0, half)
        for i in T.serial(3):
            T.vcast(a, half[i + 1, :])
            T.vmul(a, 0.5, a)
        T.vcast(half, b)
        T.copy(b, B)


@T.prim_func
def planes(A: IN, B: OUT):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((16,), "float32")
        cube = T.alloc_shared((2, 4, 16), "float32")
        T.copy(A, a)
        T.vbrc(0.0, cube)
        for i in T.serial(4):
            T.vadd(a, a, cube[1, i, :])
        T.copy(cube[1, :, :], B)


A = torch.arange(16.0)
KERNELS = {
    "sums": (sums, torch.stack([0 * A, A, 2 * A, 3 * A])),
    "casts": (casts, torch.stack([0 * A, A, A / 2, A / 4])),
    "planes": (planes, (2 * A).expand(4, 16)),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    "backend", ["embedded", pytest.param("bishengir", marks=pytest.mark.bishengir)]
)
def test_a_row_takes_the_result(backend: Backend, name: str) -> None:
    """Only full tiles went through the real compiler: its vector ops want equal ranks."""
    device.install()
    func, wanted = KERNELS[name]
    kernel = compile_kernel(func, out_idx=[1], mode="Developer")
    launch = kernel.launch(A.npu(), execution="simulator", backend=backend)
    assert launch.findings == ()
    assert torch.equal(launch.outputs[0].cpu(), wanted)
