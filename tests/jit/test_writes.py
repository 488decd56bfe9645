"""Parameters that a kernel writes."""

from __future__ import annotations

import tlcourse.language as T
from tlcourse.jit.writes import written_parameters


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
