"""Which cores a kernel needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.signature import stamp
from tlcourse.functional.emit.cores import cores_of, runs_on, users_on
from tlcourse.records import Mode


def vector_only() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.copy(A, a)

    return kernel


def cube_only() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((16,), "float32")
            T.copy(A, a)

    return kernel


def scoped() -> T.PrimFunc:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            with T.Scope("Cube"):
                T.copy(A, a)
            T.copy(a, A)
            with T.Scope("Vector"):
                T.clear(a)

    return kernel


@pytest.mark.parametrize(
    ("make", "mode", "cores"),
    [
        (vector_only, "Expert", ("vector",)),
        (cube_only, "Expert", ("cube",)),
        (cube_only, "Developer", ("vector",)),
        (scoped, "Expert", ("cube", "vector")),
        (scoped, "Developer", ("cube", "vector")),
    ],
)
def test_cores(make: Callable[[], T.PrimFunc], mode: Mode, cores: tuple[str, ...]) -> None:
    func = make()
    stamp(func.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    assert cores_of(func.module) == cores


def test_what_stands_in_no_scope_runs_on_both() -> None:
    module = scoped().module
    copies = [op for op in module.walk() if isinstance(op, tl.CopyOp)]
    assert [(runs_on(op, "cube"), runs_on(op, "vector")) for op in copies] == [
        (True, False),
        (True, True),
    ]
    (alloc,) = (op for op in module.walk() if isinstance(op, tl.AllocOp))
    assert len(users_on(alloc.result, "cube")) == 2
    assert len(users_on(alloc.result, "vector")) == 2
