"""Elements of a tile stored on both ways of a branch, in a loop."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Backend

TILE = T.Tensor((12,), "float32")


@T.prim_func
def chosen(A: TILE, B: TILE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_ub((12,), "float32")
        b = T.alloc_ub((12,), "float32")
        T.copy(A, a)
        for i in T.serial(12):
            if i % 2 == 0 and i < 8:
                b[i] = a[i]
            elif i == 9:
                b[i] = a[i] * 2.0
            else:
                b[i] = -1.0
        T.copy(b, B)


@pytest.mark.parametrize(
    "backend", ["embedded", pytest.param("bishengir", marks=pytest.mark.bishengir)]
)
@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_each_turn_keeps_the_elements_of_those_before(mode: str, backend: Backend) -> None:
    device.install()
    a = torch.arange(12.0)
    kernel = compile_kernel(chosen, out_idx=[1], mode=mode)
    launch = kernel.launch(a.npu(), execution="simulator", backend=backend)
    assert launch.findings == ()
    wanted = [0.0, -1, 2, -1, 4, -1, 6, -1, -1, 18, -1, -1]
    assert launch.outputs[0].cpu().tolist() == wanted
