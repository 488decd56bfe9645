"""PlanAndUpdateBufferAllocationLocation: where allocations end up."""

from __future__ import annotations

import torch
from xdsl.dialects.builtin import ModuleOp

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.examples import minicv
from tlcourse.passes.tir.plan_and_update_buffer_allocation_location import (
    PlanAndUpdateBufferAllocationLocationPass,
)

PASSES = (PlanAndUpdateBufferAllocationLocationPass(),)


def homes(module: ModuleOp) -> dict[str, str]:
    """Name of each buffer and of the op whose block holds its allocation."""
    allocs = [op for op in module.walk() if isinstance(op, tl.AllocOp)]
    return {op.label.data: op.parent_op().name for op in allocs}  # type: ignore[union-attr]


def test_tiles_that_each_iteration_fills_move_into_the_loop(apply) -> None:
    module = apply(minicv.minicv_developer(128, 256, 128, 128, 256, 64), PASSES)
    assert homes(module) == {
        "C_fr": "tl.kernel",
        "D_fr": "tl.kernel",
        "A_sh": "tl.for",
        "B_sh": "tl.for",
    }


def test_what_an_iteration_may_read_first_stays_outside(apply, same_numbers) -> None:
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            total = T.alloc_ub((16,), "float32")
            part = T.alloc_ub((16,), "float32")
            tail = T.alloc_ub((16,), "float32")
            only = T.alloc_ub((16,), "float32")
            for i in T.serial(4):
                if i == 0:
                    T.clear(total)
                T.copy(A[i * 16], part)
                T.copy(A[0:8], tail[0:8])
                T.vadd(total, part, total)
                T.vadd(total, tail, tail)
                if n > 0:
                    T.clear(only)
                    T.print(only)
                T.copy(total, B)

    module = apply(k, PASSES)
    assert homes(module) == {
        "total": "tl.kernel",
        "tail": "tl.kernel",
        "part": "tl.for",
        "only": "scf.if",
    }


def test_numbers_stay(same_numbers) -> None:
    torch.manual_seed(0)
    kernel = minicv.minicv_developer(64, 64, 64, 32, 32, 16)
    a, b = torch.randn(64, 64, dtype=torch.float16), torch.randn(64, 64, dtype=torch.float16)
    outputs = [torch.zeros(64, 64), torch.zeros(64, 64)]
    same_numbers(kernel, PASSES, [a / 8, b / 8, *outputs])
