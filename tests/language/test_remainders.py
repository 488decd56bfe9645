"""A quotient that forgets the rest of its tensor is told of while the kernel is read."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.examples.course import COURSE
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.language import PrimFunc

TILES = {"block_M": 64, "block_N": 128, "block_K": 64}


def _codes(func: PrimFunc) -> list[str]:
    return [warning.code for warning in func.warnings]


@pytest.mark.parametrize("form", [minicv_developer, minicv_expert])
def test_depth_that_is_no_multiple(form) -> None:
    (warning,) = form(128, 256, 100, **TILES).warnings
    assert warning.code == "TL142"
    assert warning.what == "`K // block_K` is 100 // 64 = 1 and leaves out the last 36 of 100"
    (label,) = warning.labels
    assert label.span.end_column - label.span.column == len("K // block_K")


def test_multiples_are_silent() -> None:
    assert _codes(minicv_expert(128, 256, 128, **TILES)) == []
    assert [_codes(kernel.func) for kernel in COURSE] == [[]] * len(COURSE)


def _rows(size: int, block: int, how: str) -> PrimFunc:
    if how == "forgotten":

        @T.prim_func
        def rows(A: T.Tensor((size,), "float32"), B: T.Tensor((size,), "float32")):
            with T.Kernel(size // block, is_npu=True) as (cid, _):
                a = T.alloc_ub((block,), "float32")
                T.copy(A[cid * block : cid * block + block], a)
                T.copy(a, B[cid * block : cid * block + block])

        return rows
    if how == "afterwards":

        @T.prim_func
        def rows(A: T.Tensor((size,), "float32"), B: T.Tensor((size,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, _):
                a = T.alloc_ub((block,), "float32")
                for i in T.serial(size // block):
                    T.copy(A[i * block : i * block + block], a)
                    T.copy(a, B[i * block : i * block + block])
                rest = size % block
                T.copy(A[size - rest : size], a[0:rest])
                T.copy(a[0:rest], B[size - rest : size])

        return rows

    @T.prim_func
    def rows(A: T.Tensor((size,), "float32"), B: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_ub((block,), "float32")
            for i in T.serial(size // block + 1):
                n = T.min(block, size - i * block)
                T.copy(A[i * block : i * block + n], a[0:n])
                T.copy(a[0:n], B[i * block : i * block + n])

    return rows


@pytest.mark.parametrize(
    ("how", "codes"), [("forgotten", ["TL142"]), ("afterwards", []), ("counted", [])]
)
def test_who_looks_after_the_rest_hears_nothing(how: str, codes: list[str]) -> None:
    assert _codes(_rows(1000, 64, how)) == codes
    if how != "afterwards":
        assert _codes(_rows(1024, 64, how)) == []


def test_loop_that_never_turns() -> None:
    @T.prim_func
    def none(A: T.Tensor((100,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_ub((128,), "float32")
            for i in T.serial(100 // 128):
                T.copy(A[i * 128 : i * 128 + 128], a)

    (warning,) = none.warnings
    assert "is 100 // 128 = 0 and leaves out the last 100 of 100" in warning.what
