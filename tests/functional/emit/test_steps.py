"""What loops cost, and which loop is charged."""

from __future__ import annotations

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.signature import kernel_of
from tlcourse.functional.emit.steps import block_cost, is_charged_outside, known_turns, turn_cost


def test_cost_of_loops() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            for i in T.serial(n):
                A[i] = A[i] + 1
                for j in T.serial(4):
                    A[j] = 0
                if n > 2:
                    A[0] = 0
                    for _k in T.serial(8):
                        A[1] = 0
                else:
                    A[2] = A[3] + A[4]
                for _l in T.serial(n):
                    A[5] = 0

    i, j, k, last = (op for op in kernel.module.walk() if isinstance(op, tl.ForOp))
    # Itself 1, load and store 40, four turns of j at 21 each, the dearer branch 60.
    assert turn_cost(i, "vector") == 1 + 40 + 4 * 21 + 60
    assert [known_turns(loop) for loop in (i, j, k, last)] == [None, 4, 8, None]
    assert [is_charged_outside(loop) for loop in (i, j, k, last)] == [False, True, False, False]


def test_cost_of_tiles_and_scopes() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((128, 256), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub([128, 256], "float32")
            for _i in T.serial(n):
                with T.Scope("Cube"):
                    with T.rs("PIPE_FIX"):
                        T.sync_block_set(0)
                with T.Scope("Vector"):
                    T.copy(A, a)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(0)

    (loop,) = (op for op in kernel.module.walk() if isinstance(op, tl.ForOp))
    assert turn_cost(loop, "cube") == 1 + 20
    assert turn_cost(loop, "vector") == 1 + 100 + 128 * 256 // 1000 + 20
    assert block_cost(kernel_of(kernel.module), "vector") == 100


def test_empty_range_has_no_turns() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32")):
        with T.Kernel(1, is_npu=True):
            for i in T.serial(5, 2):
                A[i] = 0

    (loop,) = (op for op in kernel.module.walk() if isinstance(op, tl.ForOp))
    assert known_turns(loop) == 0
