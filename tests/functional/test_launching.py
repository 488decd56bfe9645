"""What a functional run is called with: tensors, threads, grids, and tiles that torch refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.functional.run import FunctionalRun
from tlcourse.tolerance import tolerance

Launch = Callable[..., FunctionalRun]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(7)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    limit = tolerance(str(found.dtype).removeprefix("torch."))
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=limit, atol=limit)


def vadd(N: int, block: int, dtype: str) -> T.PrimFunc:
    @T.prim_func
    def vadd(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), dtype)
            b_ub = T.alloc_ub((block,), dtype)
            c_ub = T.alloc_ub((block,), dtype)
            start = cid * block
            n = T.min(block, N - start)
            T.copy(A[start : start + n], a_ub[0:n])
            T.copy(B[start : start + n], b_ub[0:n])
            T.vadd(a_ub, b_ub, c_ub)
            T.copy(c_ub[0:n], C[start : start + n])

    return vadd


def test_tensor_behind_an_offset_of_its_storage(launch: Launch) -> None:
    store = torch.zeros(3, 64)
    store[1] = torch.arange(64.0)
    launch(vadd(64, 16, "float32"), store[1], store[1], store[2])
    assert torch.equal(store[0], torch.zeros(64))
    assert torch.equal(store[2], 2 * torch.arange(64.0))


def test_leaf_that_requires_grad_can_be_written(launch: Launch) -> None:
    c = torch.zeros(8, requires_grad=True)
    launch(vadd(8, 8, "float32"), torch.ones(8), torch.ones(8), c)
    assert c.sum().item() == 16


def test_torch_threads_are_restored(launch: Launch) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        launch(vadd(8, 8, "float32"), torch.ones(8), torch.ones(8), torch.zeros(8))
        assert torch.get_num_threads() == 2
        with pytest.raises(TLError):
            launch(too_large(), torch.ones(8))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def too_large() -> T.PrimFunc:
    @T.prim_func
    def huge(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((2**20, 2**22), "float32")
            T.copy(a[0, 0:8], A)

    return huge


def test_refusal_of_torch_points_to_the_learners_line(launch: Launch) -> None:
    with pytest.raises(TLError) as caught:
        launch(too_large(), torch.ones(8))
    assert caught.value.code == "TL507"
    assert "T.alloc_ub((2**20, 2**22)" in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("rows", [0, -16])
def test_grid_without_blocks(launch: Launch, rows: int) -> None:
    @T.prim_func
    def empty(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(n // 16, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.copy(A[0:16], a)

    with pytest.raises(TLError) as caught:
        launch(empty, torch.ones(64), rows)
    assert caught.value.code == "TL410"
    assert "T.Kernel(n // 16, is_npu=True)" in str(caught.value)


def test_grid_that_divides_by_zero(launch: Launch) -> None:
    @T.prim_func
    def split(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(64 // n, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.copy(A[0:16], a)

    with pytest.raises(TLError) as caught:
        launch(split, torch.ones(64), 0)
    assert caught.value.code == "TL410"
    assert "the grid ((64 // n)) divides by zero" in str(caught.value)
