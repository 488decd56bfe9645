"""Scalar functions in generated code: one number through the vector unit."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

_MODES = ("Expert", "Developer")
_FUNCTIONS = {
    "exp": ("hivm.hir.vexp", 0),
    "exp2": ("hivm.hir.vexp", 1),
    "log": ("hivm.hir.vln", 0),
    "log2": ("hivm.hir.vln", 1),
    "sqrt": ("hivm.hir.vsqrt", 0),
    "rsqrt": ("hivm.hir.vrsqrt", 0),
}


def _kernel(function, dtype):
    @T.prim_func
    def kernel(A: T.Tensor((8,), dtype), C: T.Tensor((8,), dtype)):
        with T.Kernel(8, is_npu=True) as (cid, _):
            C[cid] = function(A[cid])

    return kernel


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_one_number_through_the_vector_unit(lower, name, mode):
    op, factors = _FUNCTIONS[name]
    counts = lower(_kernel(getattr(T, name), "float32"), mode).counts
    assert counts[op] == 1
    assert counts["arith.mulf"] == factors
    moves = (
        ("memref.alloc", "memref.store", "memref.load")
        if mode == "Expert"
        else ("tensor.insert", "tensor.extract")
    )
    assert all(counts[move] for move in moves)


@pytest.mark.parametrize("mode", _MODES)
def test_bfloat16_goes_through_float32(lower, mode):
    made = lower(_kernel(T.exp, "bfloat16"), mode)
    assert (made.counts["arith.extf"], made.counts["arith.truncf"]) == (1, 1)
    kind = "tensor<1xf32>" if mode == "Developer" else "memref<1xf32"
    assert any(kind in line for line in made.text.splitlines() if "vexp" in line)


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize(("dtype", "op"), [("float16", "arith.maximumf"), ("int32", "arith.maxsi")])
def test_abs_is_a_maximum(lower, dtype, op, mode):
    counts = lower(_kernel(T.abs, dtype), mode).counts
    assert counts[op] == 1
    assert not any(name.startswith("math.") for name in counts)


def test_sigmoid_is_made_of_the_others(lower):
    counts = lower(_kernel(T.sigmoid, "float32"), "Expert").counts
    assert [counts[op] for op in ("hivm.hir.vexp", "arith.subf", "arith.divf")] == [1, 1, 1]


@pytest.mark.parametrize("mode", _MODES)
def test_reinterpret_is_a_bitcast(lower, mode):
    def function(x):
        return T.reinterpret("float32", T.reinterpret("int32", x) & 0x7FFFFFFF)

    assert lower(_kernel(function, "float32"), mode).counts["arith.bitcast"] == 2


def test_a_gemm_beside_a_scalar_function_needs_both_cores(lower):
    @T.prim_func
    def kernel(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)
            C[0, 0] = T.exp(C[0, 0])

    assert 'mix_mode = "mix"' in lower(kernel, "Developer").text


@pytest.mark.parametrize(("mode", "dtype"), [("Expert", "float64"), ("Developer", "float64")])
def test_float64_has_no_vector_unit(lower, mode, dtype):
    with pytest.raises(TLError, match=f"T.exp does not exist in {mode} mode") as caught:
        lower(_kernel(T.exp, dtype), mode)
    assert caught.value.code == "TL214"


def test_the_cube_core_has_none(lower):
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True), T.Scope("Cube"):
            A[0] = T.exp(A[1])

    with pytest.raises(TLError, match=r"T\.exp does not exist in Expert mode") as caught:
        lower(kernel, "Expert")
    assert caught.value.code == "TL214"


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_real_compiler_takes_them(compiled, dtype, mode):
    def function(x):
        return T.exp(x) + T.log2(T.abs(x)) + T.sigmoid(x) * T.rsqrt(T.exp2(x)) + T.sqrt(x)

    assert "hivm.hir.vexp" in compiled(_kernel(function, dtype), mode)
