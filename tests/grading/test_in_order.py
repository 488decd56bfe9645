"""Kernels without scopes: where their tiles lie, and what their blocks write."""

from __future__ import annotations

import pytest
import tilelang.language as T
import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import stamp
from tlcourse.grading.in_order import are_apart, is_placed
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.settings import Settings
from tlcourse.language import PrimFunc


def _there_and_back(slice_of: int) -> PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), "float32"), W: T.Tensor((4, 16, 16), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((16, 16), "float32")
            T.copy(A[cid * 16 : (cid + 1) * 16, :], a)
            T.vexp(a, a)
            T.copy(a, W[cid * slice_of, :, :])

    return kernel


def _compiled(function: PrimFunc) -> Kernel:
    module = function.module.clone()
    stamp(module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    settings = Settings(
        mode="Expert",
        target="npuir",
        pass_configs={},
        chip=DEFAULT_CHIP,
        backend="embedded",
        execution="functional",
        checks="class",
        cache_folder=None,
    )
    return Kernel(module, function.sources, settings)


@pytest.mark.parametrize(("slice_of", "apart"), [(1, True), (0, False)])
def test_blocks_that_write_the_same_elements_are_seen(slice_of: int, apart: bool) -> None:
    kernel = _compiled(_there_and_back(slice_of))
    given = [torch.rand(64, 16), torch.full((4, 16, 16), float("nan"))]
    before = [tensor.clone() for tensor in given]
    assert are_apart(kernel.program("functional"), given) == apart
    assert torch.equal(given[0], before[0])
    assert given[1].isnan().all()


def _softmax_in_l1() -> PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            a = T.alloc_L1((16, 16), "float32")
            T.copy(A, a)
            T.vexp(a, a)

    return kernel


def test_a_vector_tile_belongs_in_ub() -> None:
    assert is_placed(_there_and_back(1).module)
    assert not is_placed(_softmax_in_l1().module)
