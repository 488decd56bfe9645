"""Parameters that a kernel writes."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile
from tlcourse.jit.writes import unused_parameters, written_parameters


def test_only_destinations_in_gm_count() -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((128,), "float32"),
        B: T.Tensor((128,), "float32"),
        C: T.Tensor((128,), "float32"),
        D: T.Tensor((4,), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((128,), "float32")
            T.copy(A, a)
            T.vadd(a, a, a)
            T.copy(a[0:64], C[64:128])
            D[0] = 1.0
            T.print(a)

    assert written_parameters(kernel.module) == ("C", "D")


def test_a_tensor_may_be_read_and_written() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((128,), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((128,), "float32")
            T.copy(A, a)
            T.copy(a, A)

    assert written_parameters(kernel.module) == ("A",)


def test_what_a_compile_time_branch_leaves_out_is_unused() -> None:
    kernel = _scaled(keep=False)
    assert unused_parameters(kernel.module) == ("D",)
    assert unused_parameters(_scaled(keep=True).module) == ()


def test_none_for_an_unused_tensor_runs_and_for_a_used_one_is_refused() -> None:
    x = torch.arange(128.0).npu()
    for execution in ("functional", "simulator"):
        out = torch.zeros(128).npu()
        compile(_scaled(keep=False)).launch(x, out, None, 3, execution=execution)
        torch.testing.assert_close(out.cpu(), x.cpu() + x.cpu())
    with pytest.raises(TLError, match="the argument for D is None") as caught:
        compile(_scaled(keep=True))(x, out, None, 3)
    assert caught.value.code == "TL402"


def _scaled(*, keep: bool) -> T.PrimFunc:
    @T.prim_func
    def kernel(
        A: T.Tensor((128,), "float32"),
        C: T.Tensor((128,), "float32"),
        D: T.Tensor((128,), "float32"),
        n: T.int32,
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((128,), "float32")
            T.copy(A, a)
            if keep:
                T.copy(a, D)
            T.vadd(a, a, a)
            T.copy(a, C)

    return kernel
