"""Elementwise statements as HIVM, in both modes; the real compiler verifies each module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import tlcourse.language as T
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import to_text
from tlcourse.dialects.vector_ops import ALL_OPS, CHOICE_OPS, COMPOSITE_OPS, VECTOR_OPS
from tlcourse.pipeline import lower_to_mlir

MODES = ("Expert", "Developer")
CASES = [
    (name, dtype)
    for name, row in (VECTOR_OPS | COMPOSITE_OPS).items()
    for dtype in (*row.dtypes, *(["bfloat16"] if row.through_float32("bfloat16") else []))
    if not dtype.startswith("uint")
]


def _alloc(mode: str):
    return T.alloc_ub if mode == "Expert" else T.alloc_shared


def _mlir(kernel: T.PrimFunc, mode: str) -> str:
    module = kernel.module.clone()
    stamp(module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    made = lower_to_mlir(module, kernel.sources)
    made.verify()
    return to_text(made)


def _verify(tool: Path, text: str) -> None:
    result = subprocess.run([tool, "-"], input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def _regular(name: str, dtype: str, mode: str) -> T.PrimFunc:
    """One op on whole tiles, on parts in a loop, with repeated rows and with a scalar."""
    alloc, function, row = _alloc(mode), getattr(T, name), ALL_OPS[name]
    two, scalar = row.arity == 2, row.scalar_source

    @T.prim_func
    def kernel(A: T.Tensor((32, 24), dtype), C: T.Tensor((32, 24), dtype), n: T.int32):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = alloc((8, 24), dtype)
            b = alloc((1, 24), dtype)
            c = alloc((8, 24), dtype)
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.copy(A[cid : cid + 1, :], b)
            if two:
                function(a, a, c)
                function(a, b, c)
                for i in T.serial(n):
                    function(c[i : i + 2, 0:16], b[:, 0:16], c[i : i + 2, 0:16])
                if scalar:
                    function(a[0:4, :], n, c[0:4, :])
                    function(c, 2, c)
            else:
                function(a, c)
                function(b, c)
                for i in T.serial(n):
                    function(c[i : i + 2, 0:16], c[i : i + 2, 0:16])
            T.copy(c, C[cid * 8 : cid * 8 + 8, :])

    return kernel


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_the_real_compiler_verifies_each_op(bishengir_opt, mode, name, dtype) -> None:
    text = _mlir(_regular(name, dtype, mode), mode)
    if name in VECTOR_OPS and not (name == "vpow" and "float" in dtype):
        assert f"hivm.hir.{name} " in text
    else:
        assert f"hivm.hir.{name} " not in text
    _verify(bishengir_opt, text)


def _chosen(dtype: str, mode: str) -> T.PrimFunc:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), dtype), C: T.Tensor((8, 24), dtype), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), dtype)
            b = alloc((1, 24), dtype)
            c = alloc((8, 24), dtype)
            mask = alloc((8, 24), "bool")
            T.copy(A, a)
            T.copy(A[0:1, :], b)
            T.clear(c)
            T.vcmp(a, c, mask, "eq")
            T.vcmp(a, b, mask, "ge")
            T.vcmp(a[0:4, :], n, mask[0:4, :], "lt")
            T.vnot(mask, mask)
            T.vselect(mask, a, c, c)
            T.vselect(mask[0:n, :], a[0:n, :], b, c[0:n, :])
            T.copy(c, C)

    return kernel


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "float16", "float32", "bfloat16"])
def test_comparisons_and_choices(bishengir_opt, mode, dtype) -> None:
    text = _mlir(_chosen(dtype, mode), mode)
    assert text.count("hivm.hir.vcmp") == 3
    assert text.count("hivm.hir.vsel") == 2
    assert "compare_mode = <ge>" in text
    assert "compare_mode = <eq>" not in text
    _verify(bishengir_opt, text)


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", CHOICE_OPS["vshr"].dtypes)
def test_shifts_say_whether_they_round(bishengir_opt, mode, dtype) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), dtype), C: T.Tensor((8, 24), dtype), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), dtype)
            b = alloc((1, 24), dtype)
            T.copy(A, a)
            T.copy(A[0:1, :], b)
            T.vshr(a, b, a)
            T.vshr(a, 3, a, round=False)
            T.npuir_shr(a[0:n, :], n, a[0:n, :], True)
            T.copy(a, C)

    text = _mlir(kernel, mode)
    assert text.count("round : true") == 2
    assert text.count("round : false") == 1
    _verify(bishengir_opt, text)


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_bits_and_composites_of_two_statements(bishengir_opt, mode) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float16"), C: T.Tensor((8, 24), "int16"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), "float16")
            t = alloc((8, 24), "float16")
            T.copy(A, a)
            T.vexp2(a, a, t)
            T.vlog2(a[0:n, :], a[0:n, :], t[0:n, :])
            T.vclamp(a, a, -1, 1.5)
            T.vclamp(a, t, 0, t)
            bits = T.vbitcast(t, "int16")
            T.vbitcast(t[0:2, :], "int16")
            T.copy(bits, C)

    text = _mlir(kernel, mode)
    assert text.count("hivm.hir.bitcast") == 2
    assert text.count("hivm.hir.vmax") == text.count("hivm.hir.vmin") == 2
    _verify(bishengir_opt, text)


@pytest.mark.parametrize("mode", MODES)
def test_a_sigmoid_is_upstreams_four_steps(mode) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float16"), C: T.Tensor((8, 24), "float16")):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), "float16")
            T.copy(A, a)
            T.vsigmoid(a, a)
            T.copy(a, C)

    lines = _mlir(kernel, mode).splitlines()
    steps = [line.split("hivm.hir.")[1].split()[0] for line in lines if "hivm.hir.v" in line]
    assert steps == ["vmul", "vexp", "vadd", "vrec"]


def test_a_comparison_converts_its_scalar_to_the_tiles_dtype() -> None:
    text = _mlir(_chosen("float32", "Expert"), "Expert")
    assert "arith.sitofp" in text
    (line,) = [line for line in text.splitlines() if "compare_mode = <lt>" in line]
    assert ", f32) outs(" in line
