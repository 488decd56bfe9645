from __future__ import annotations

import re

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

_F32 = "float32"


def _refused(lower, func, match):
    with pytest.raises(TLError, match=re.escape(match)) as caught:
        lower(func, "Expert")
    assert caught.value.code == "TL212"
    return caught.value.diagnostic


def test_a_vector_statement_in_the_cube_scope_is_refused(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            with T.Scope("Cube"):
                T.copy(A, a)

    found = _refused(lower, kernel, "needs the vector cores, because a lies in UB")
    assert 'it stands in T.Scope("Cube")' in found.why
    assert 'with T.Scope("Vector"):' in found.fix


def test_a_tile_of_the_other_core_in_a_scope_is_refused(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Vector"):
                T.alloc_L1((64, 128), _F32)

    _refused(lower, kernel, "needs the cube core")


def test_a_tile_statement_outside_both_scopes_is_refused(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            T.copy(A, a)
            with T.Scope("Vector"):
                T.vexp(a, a)

    assert "outside both scopes" in _refused(lower, kernel, "needs the vector cores").why


def test_both_cores_without_scopes_are_refused(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            b = T.alloc_L1((64, 128), _F32)
            T.copy(A, a)
            T.copy(A, b)

    found = _refused(lower, kernel, "needs the cube core, because b lies in L1")
    assert "this kernel has no T.Scope" in found.why


@pytest.mark.parametrize(("alloc", "core"), [("alloc_ub", "AIV"), ("alloc_L1", "AIC")])
def test_the_core_of_a_kernel_without_scopes_is_that_of_its_tiles(lower, alloc, core):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = getattr(T, alloc)((64, 128), _F32)
            T.copy(A, a)

    assert f"#hivm.module_core_type<{core}>" in lower(kernel, "Expert").text


def test_a_kernel_without_tiles_runs_on_the_vector_cores(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            A[0, 0] = A[1, 1]

    for mode in ("Expert", "Developer"):
        assert "#hivm.module_core_type<AIV>" in lower(kernel, mode).text
