"""Elementwise functions against torch, in both modes and both spellings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import tlcourse.language as T
from tlcourse.tolerance import tolerance

MODES = ("Expert", "Developer")
Reference = Callable[..., torch.Tensor]


def _alloc(mode: str) -> Any:
    return T.alloc_ub if mode == "Expert" else T.alloc_shared


def _kernel(name: str, arity: int, dtype: str, out: str, mode: str, *options: object):
    """C = T.name(A, B) with both tiles, over blocks of 8 rows."""
    alloc, function = _alloc(mode), getattr(T, name)

    @T.prim_func
    def kernel(
        A: T.Tensor((32, 24), dtype), B: T.Tensor((32, 24), dtype), C: T.Tensor((32, 24), out)
    ):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = alloc((8, 24), dtype)
            b = alloc((8, 24), dtype)
            c = alloc((8, 24), out)
            T.copy(A[cid * 8 : cid * 8 + 8, :], a)
            T.copy(B[cid * 8 : cid * 8 + 8, :], b)
            if arity == 1:
                function(a, c)
            else:
                function(a, b, c, *options)
            T.copy(c, C[cid * 8 : cid * 8 + 8, :])

    return kernel


def _data(dtype: str, low: float, high: float, seed: int) -> torch.Tensor:
    generator, kind = torch.Generator().manual_seed(seed), getattr(torch, dtype)
    if kind == torch.bool:
        return torch.rand(32, 24, generator=generator) > 0.5
    if kind.is_floating_point:
        return (torch.rand(32, 24, generator=generator) * (high - low) + low).to(kind)
    return torch.randint(int(low), int(high), (32, 24), generator=generator).to(kind)


def _floor_div(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.floor(a / b) if a.is_floating_point() else torch.div(a, b, rounding_mode="floor")


FLOATS = ("float16", "float32")
# name, number of sources, dtypes, range, reference
CASES: list[tuple[str, int, tuple[str, ...], tuple[float, float], Reference]] = [
    ("vand", 2, ("bool", "int8", "int32", "int64"), (-99, 99), lambda a, b: a & b),
    ("npuir_or", 2, ("bool", "int16", "int32"), (-99, 99), lambda a, b: a | b),
    ("vxor", 2, ("bool", "int8", "int16", "int32"), (-99, 99), lambda a, b: a ^ b),
    ("npuir_shl", 2, ("int16", "int32", "int64"), (0, 12), lambda a, b: a << b),
    ("vshr", 2, ("int16", "int32", "int64"), (0, 12), lambda a, b: a >> b),
    ("npuir_pow", 2, ("int32",), (-4, 5), torch.pow),
    ("vpow", 2, FLOATS, (0.2, 4), torch.pow),
    ("vnot", 1, ("bool", "int8", "int32"), (-99, 99), torch.bitwise_not),
    ("vsigmoid", 1, (*FLOATS, "bfloat16"), (-30, 30), torch.sigmoid),
    ("vcos", 1, FLOATS, (-1, 1), torch.cos),
    ("npuir_vsin", 1, FLOATS, (-1, 1), torch.sin),
    ("vtanh", 1, (*FLOATS, "bfloat16"), (-6, 6), torch.tanh),
    ("npuir_vtanh", 1, FLOATS, (-200, 200), torch.tanh),
    ("vfloor", 1, (*FLOATS, "bfloat16"), (-9, 9), torch.floor),
    ("npuir_floordiv", 2, (*FLOATS, "int64"), (-9, -1), _floor_div),
]
FLAT = [
    (name, arity, dtype, limits, reference)
    for name, arity, dtypes, limits, reference in CASES
    for dtype in dtypes
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "arity", "dtype", "limits", "reference"),
    FLAT,
    ids=[f"{name}-{dtype}" for name, _, dtype, _, _ in FLAT],
)
def test_values(run_kernel, mode, name, arity, dtype, limits, reference) -> None:
    a, b = (_data(dtype, *limits, seed) for seed in (1, 2))
    c = torch.zeros_like(a)
    run_kernel(_kernel(name, arity, dtype, dtype, mode), a, b, c, mode=mode)
    wide = [x.double() if x.dtype == torch.bfloat16 else x for x in (a, b)[:arity]]
    limit = tolerance(dtype)
    torch.testing.assert_close(c, reference(*wide).to(c.dtype), rtol=limit, atol=limit)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "bfloat16", "int64"])
@pytest.mark.parametrize("word", ["eq", "ne", "lt", "gt", "ge", "le"])
def test_comparisons(run_kernel, mode, dtype, word) -> None:
    a, b = (_data(dtype, -3, 3, seed) for seed in (1, 2))
    b[::2] = a[::2]
    c = torch.zeros(32, 24, dtype=torch.bool)
    run_kernel(_kernel("vcmp", 2, dtype, "bool", mode, word), a, b, c, mode=mode)
    assert torch.equal(c, getattr(torch, word)(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_error_function_near_0(run_kernel, dtype) -> None:
    # The polynomial of degree 7 is off by 1.3e-2 at 1.
    a, c = _data(dtype, -0.5, 0.5, 1), torch.zeros(32, 24, dtype=getattr(torch, dtype))
    run_kernel(_kernel("verf", 1, dtype, dtype, "Expert"), a, a, c)
    torch.testing.assert_close(c, torch.erf(a), rtol=1e-3, atol=1e-3)


def test_polynomials_are_those_of_the_documentation(run_kernel) -> None:
    x, c = _data("float32", -4, 4, 1), torch.zeros(32, 24)
    wide = x.double()
    terms = {
        "vcos": 1 - wide**2 / 2 + wide**4 / 24 - wide**6 / 720,
        "vsin": wide - wide**3 / 6 + wide**5 / 120 - wide**7 / 5040,
        "verf": 2 / math.sqrt(math.pi) * (wide - wide**3 / 3 + wide**5 / 10 - wide**7 / 42),
    }
    for name, expected in terms.items():
        run_kernel(_kernel(name, 1, "float32", "float32", "Expert"), x, x, c)
        torch.testing.assert_close(c.double(), expected, rtol=1e-3, atol=1e-3)


def test_tanh_of_extreme_numbers(run_kernel) -> None:
    for dtype in FLOATS:
        a = torch.zeros(32, 24, dtype=getattr(torch, dtype))
        a[0, :6] = torch.tensor([math.inf, -math.inf, 6e4, -6e4, 1e-3, math.nan])
        c = torch.empty_like(a)
        run_kernel(_kernel("vtanh", 1, dtype, dtype, "Expert"), a, a, c)
        limit = tolerance(dtype)
        torch.testing.assert_close(c, torch.tanh(a), rtol=limit, atol=limit, equal_nan=True)


def test_powers_of_all_signs(run_kernel) -> None:
    bases = [-2.0, -0.5, 0.0, 0.5, 3.0, math.inf]
    exponents = [-3.0, -2.0, -0.5, 0.0, 0.5, 2.0, 3.0]
    a, b, c = torch.ones(32, 24), torch.ones(32, 24), torch.empty(32, 24)
    a[:6, :7] = torch.tensor(bases)[:, None]
    b[:6, :7] = torch.tensor(exponents)
    run_kernel(_kernel("vpow", 2, "float32", "float32", "Expert"), a, b, c)
    torch.testing.assert_close(c, torch.pow(a, b), rtol=1e-4, atol=1e-4, equal_nan=True)


def test_floor_division_of_integers_of_all_signs(run_kernel) -> None:
    a = _data("int64", -9, 10, 1)
    b = _data("int64", 1, 5, 2) * (_data("int64", 0, 2, 3) * 2 - 1)
    c = torch.zeros_like(a)
    run_kernel(_kernel("vfloordiv", 2, "int64", "int64", "Expert"), a, b, c)
    assert torch.equal(c, torch.div(a, b, rounding_mode="floor"))


@pytest.mark.parametrize("mode", MODES)
def test_select_takes_where_the_mask_is_true(run_kernel, mode) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "bfloat16"), C: T.Tensor((8, 24), "bfloat16")):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), "bfloat16")
            zero = alloc((8, 24), "bfloat16")
            mask = alloc((8, 24), "bool")
            late = alloc((8, 24), "bool")
            T.copy(A, a)
            T.clear(zero)
            T.vcmp(a, 0.25, mask, "gt")
            T.npuir_cmp(a, 0.75, late, cmp_mod="lt")
            T.vand(mask, late, mask)
            T.vselect(mask, a, zero, a)
            T.copy(a, C)

    a = _data("bfloat16", 0, 1, 1)[:8]
    c = torch.empty_like(a)
    run_kernel(kernel, a, c, mode=mode)
    assert torch.equal(c, torch.where((a > 0.25) & (a < 0.75), a, torch.zeros_like(a)))


@pytest.mark.parametrize("rounds", [True, False])
def test_a_scalar_shift_rounds_by_default(run_kernel, rounds) -> None:
    option = {} if rounds else {"round": False}

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "int32"), C: T.Tensor((8, 24), "int32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "int32")
            T.copy(A, a)
            T.vshr(a, n, a, **option)
            T.copy(a, C)

    a = torch.arange(-96, 96, dtype=torch.int32).view(8, 24)
    c = torch.empty_like(a)
    run_kernel(kernel, a, c, 3)
    assert torch.equal(c, (a + 4) >> 3 if rounds else a >> 3)


def test_operand_forms_of_the_last_source(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float32"), C: T.Tensor((8, 24), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "float32")
            T.copy(A, a)
            T.vadd(a[0:4, :], 2, a[0:4, :])
            for i in T.serial(4):
                T.vmul(a[i : i + 1, :], i + 1, a[i : i + 1, :])
            half = 0.5
            T.vadd(a[4:8, :], half, a[4:8, :])
            T.vsub(a[4:8, :], n * 2 + 1, a[4:8, :])
            T.vmax(a, T.float32(-3), a)
            T.vadd(a, a[0, 0], a)
            T.copy(a, C)

    a, c = _data("float32", -1, 1, 1)[:8], torch.empty(8, 24)
    run_kernel(kernel, a, c, 1)
    expected = a.clone()
    expected[:4] = (expected[:4] + 2) * torch.arange(1, 5).view(4, 1)
    expected[4:] = (expected[4:] + 0.5 - 3).clamp_min(-3)
    torch.testing.assert_close(c, expected + expected[0, 0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["vand", "vxor", "vpow", "vcmp", "vadd", "vshr", "vor"])
def test_sources_repeat_in_both_directions(run_kernel, mode, name) -> None:
    alloc, out = _alloc(mode), "bool" if name == "vcmp" else "int32"
    options = ("ge",) if name == "vcmp" else ()
    function = getattr(T, name)

    @T.prim_func
    def kernel(
        A: T.Tensor((8, 1), "int32"), B: T.Tensor((1, 24), "int32"), C: T.Tensor((8, 24), out)
    ):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 1), "int32")
            b = alloc((1, 24), "int32")
            c = alloc((8, 24), out)
            T.copy(A, a)
            T.copy(B, b)
            function(a, b, c, *options)
            T.copy(c, C)

    a, b = _data("int32", 1, 5, 1)[:8, :1].clone(), _data("int32", 0, 5, 2)[:1].clone()
    c = torch.zeros(8, 24, dtype=getattr(torch, out))
    run_kernel(kernel, a, b, c, mode=mode)
    reference = {
        "vand": torch.bitwise_and,
        "vxor": torch.bitwise_xor,
        "vpow": torch.pow,
        "vcmp": torch.ge,
        "vadd": torch.add,
        "vshr": torch.bitwise_right_shift,
        "vor": torch.bitwise_or,
    }[name]
    assert torch.equal(c, reference(a, b))
