"""Forms that upstream's examples use and its pages do not show."""

from __future__ import annotations

import torch

import tlcourse.language as T


def test_a_column_is_copied_by_the_size_of_a_row(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((2, 8), "float"), B: T.Tensor((2, 8), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            one = T.alloc_ub((8, 1), "float")
            two = T.alloc_ub((8, 1), "float32")
            T.copy(A[cid, 0], one, size=[8])
            T.vadd(one, 1.0, two)
            T.copy(two, B[cid, 0], size=[1, 8])

    a, b = torch.randn(2, 8), torch.empty(2, 8)
    run_kernel(kernel, a, b)
    torch.testing.assert_close(b, a + 1)


def test_the_product_of_conditions_is_their_conjunction(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8,), "float32")
            T.copy(A, a)
            for i in T.serial(8):
                if (i >= 2) * (i < 5):
                    a[i] = 0.0
            T.copy(a, B)

    a, b = torch.ones(8), torch.empty(8)
    run_kernel(kernel, a, b)
    assert b.tolist() == [1, 1, 0, 0, 0, 1, 1, 1]
