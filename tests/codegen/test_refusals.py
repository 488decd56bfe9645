from __future__ import annotations

import re

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

_F16 = "float16"
_F32 = "float32"


def _refused(lower, func, mode, code, match):
    with pytest.raises(TLError, match=re.escape(match)) as caught:
        lower(func, mode)
    assert caught.value.code == code
    return caught.value


def _caret(error: TLError) -> str:
    """The stretch of the learner's line that the caret underlines."""
    span = error.diagnostic.labels[0].span
    line = error.sources[span.source].text.splitlines()[span.line - 1]
    return line[span.column - 1 : span.end_column - 1]


def test_a_fragment_has_no_place_in_expert_mode(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            acc = T.alloc_fragment((64, 128), _F32)
            T.vexp(acc, acc)

    what = "The tile acc has no place in Expert mode"
    error = _refused(lower, kernel, "Expert", "TL210", what)
    assert _caret(error) == "T.alloc_fragment((64, 128), _F32)"


def test_l0c_has_no_place_in_developer_mode(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            acc = T.alloc_L0C((64, 128), _F32)
            T.copy(acc, A)

    what = "The tile acc has no place in Developer mode"
    _refused(lower, kernel, "Developer", "TL210", what)


def test_a_vector_op_needs_its_tiles_in_ub(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.vexp(a, a)

    what = "a lies in L1, but this statement needs it in UB"
    error = _refused(lower, kernel, "Expert", "TL211", what)
    assert _caret(error) == "T.vexp(a, a)"


def test_a_product_needs_its_factors_in_l1(lower):
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), _F16), C: T.Tensor((32, 32), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((32, 32), _F16)
            c = T.alloc_shared((32, 32), _F32)
            T.gemm(a, a, c, initC=True)

    what = "c lies in L1, but this statement needs it in L0C"
    _refused(lower, kernel, "Expert", "TL211", what)


def test_the_scalar_unit_does_not_reach_l1(lower):
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((32, 32), _F32)
            A[0, 0] = a[1, 1]

    what = "a lies in L1, but this statement needs it in UB"
    _refused(lower, kernel, "Expert", "TL211", what)


@pytest.mark.parametrize(
    ("statement", "function"),
    [
        ("scope", "T.Scope"),
        ("barrier", "T.pipe_barrier"),
        ("flag", "T.sync_block_set"),
    ],
)
def test_developer_mode_orders_and_divides_by_itself(lower, statement, function):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            if statement == "scope":
                with T.Scope("Vector"):
                    T.vexp(a, a)
            if statement == "barrier":
                T.pipe_barrier("PIPE_V")
            if statement == "flag":
                with T.rs("PIPE_V"):
                    T.sync_block_set(0)

    what = f"{function} does not exist in Developer mode"
    _refused(lower, kernel, "Developer", "TL214", what)
