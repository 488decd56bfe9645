"""A row that stands for a whole tile in T.Parallel: the same numbers in modes and executors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.jit import compile
from tlcourse.language import PrimFunc
from tlcourse.records import Mode

Loop = Callable[..., None]


@T.macro
def row(u, v, A, C):
    for i, j in T.Parallel(16, 32):
        v[i, j] = u[0, j]
    T.copy(v, C)


@T.macro
def row_of_global_memory(u, v, A, C):
    for i, j in T.Parallel(16, 32):
        v[i, j] = A[3, j]
    T.copy(v, C)


@T.macro
def row_to_global_memory(u, v, A, C):
    for i, j in T.Parallel(16, 32):
        C[i, j] = u[0, j]


@T.macro
def computed_row(u, v, A, C):
    for i, j in T.Parallel(16, 32):
        v[i, j] = T.exp(u[0, j]) - u[1, j] * 2.0
    T.copy(v, C)


@T.macro
def row_of_the_stored_tile(u, v, A, C):
    T.copy(u, v)
    for i, j in T.Parallel(16, 32):
        v[i, j] = v[2, j]
    T.copy(v, C)


WANTED: list[tuple[Loop, Callable[[torch.Tensor], torch.Tensor]]] = [
    (row, lambda a: a[0:1]),
    (row_of_global_memory, lambda a: a[3:4]),
    (row_to_global_memory, lambda a: a[0:1]),
    (computed_row, lambda a: torch.exp(a[0:1]) - a[1:2] * 2),
    (row_of_the_stored_tile, lambda a: a[2:3]),
]


def kernel_of(loop: Loop, mode: Mode) -> PrimFunc:
    allocate = T.alloc_shared if mode == "Developer" else T.alloc_ub

    @T.prim_func
    def k(A: T.Tensor((16, 32), "float32"), C: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            u = allocate((16, 32), "float32")
            v = allocate((16, 32), "float32")
            T.copy(A, u)
            loop(u, v, A, C)

    return k


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("mode", ["Developer", "Expert"])
@pytest.mark.parametrize(("loop", "wanted"), WANTED, ids=range(len(WANTED)))
def test_row(
    loop: Loop, wanted: Callable[[torch.Tensor], torch.Tensor], mode: Mode, execution: str
) -> None:
    a = torch.randn(16, 32, generator=torch.Generator().manual_seed(1))
    kernel = compile(kernel_of(loop, mode), out_idx=[1], mode=mode)
    launch = kernel.launch(a.npu(), execution=execution, checks="all")
    assert launch.findings == ()
    torch.testing.assert_close(
        launch.outputs[0].cpu(), wanted(a).expand(16, 32).contiguous(), rtol=1e-4, atol=1e-4
    )
