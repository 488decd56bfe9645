"""Elementwise functions on parts of tiles, with sizes, limits, fills, bits and casts."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import tlcourse.language as T

MODES = ("Expert", "Developer")


def _alloc(mode: str) -> Any:
    return T.alloc_ub if mode == "Expert" else T.alloc_shared


def _data(dtype: str, low: float, high: float) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return (torch.rand(8, 24, generator=generator) * (high - low) + low).to(getattr(torch, dtype))


@pytest.mark.parametrize("mode", MODES)
def test_composites_on_parts_with_extents_of_the_run(run_kernel, mode) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float16"), C: T.Tensor((8, 24), "float16"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), "float16")
            T.copy(A, a)
            T.vsigmoid(a[0:n, :], a[0:n, :])
            T.vtanh(a[n : n + 2, 0:8], a[n : n + 2, 0:8])
            T.vexp2(a[6:7, :], a[6:7, :], a[7:8, :])
            T.copy(a, C)

    a, c = _data("float16", -2, 2), torch.empty(8, 24, dtype=torch.float16)
    run_kernel(kernel, a, c, 3, mode=mode)
    expected = a.clone()
    expected[:3] = torch.sigmoid(a[:3])
    expected[3:5, :8] = torch.tanh(a[3:5, :8])
    expected[6] = torch.exp2(a[6])
    expected[7] = a[6] * math.log(2)
    torch.testing.assert_close(c, expected, rtol=2e-3, atol=2e-3)


def test_size_gives_extents_from_the_first_element(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float32"), C: T.Tensor((8, 24), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "float32")
            c = T.alloc_ub((8, 24), "float32")
            T.copy(A, a)
            T.copy(A, c)
            T.vcos(a[2, 0], c[4, 8], size=[2, 16])
            T.vsin(a, a, c[0:8, 0:4], size=[1, 4])
            T.copy(c, C)

    a, c = _data("float32", -1, 1), torch.empty(8, 24)
    run_kernel(kernel, a, c)
    expected = a.clone()
    expected[4:6, 8:] = torch.cos(a[2:4, :16])
    expected[:1, :4] = torch.sin(a[:1, :4])
    torch.testing.assert_close(c, expected, rtol=1e-4, atol=1e-4)


def test_limits_by_numbers_tiles_and_the_destination_itself(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float32"), C: T.Tensor((24, 24), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "float32")
            low = T.alloc_ub((8, 24), "float32")
            c = T.alloc_ub((8, 24), "float32")
            T.copy(A, a)
            T.vclamp(a, c, -0.5, 1)
            T.copy(c, C[0:8, :])
            T.vmul(a, -1.0, low)
            T.npuir_clamp(a, c, low, 0.5)
            T.copy(c, C[8:16, :])
            T.vclamp(a, low, 0, low)
            T.copy(low, C[16:24, :])

    a, c = _data("float32", -2, 2), torch.empty(24, 24)
    run_kernel(kernel, a, c)
    assert torch.equal(c[:8], a.clamp(-0.5, 1))
    assert torch.equal(c[8:16], torch.minimum(torch.maximum(a, -a), torch.tensor(0.5)))
    assert torch.equal(c[16:], torch.minimum(a.clamp_min(0), -a))


def test_powers_and_logarithms_of_2(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float32"), C: T.Tensor((8, 24), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "float32")
            tmp = T.alloc_ub((8, 24), "float32")
            T.copy(A, a)
            T.vlog2(a, tmp, tmp)
            T.npuir_exp2(tmp, tmp, tmp)
            T.vsub(tmp, a, tmp)
            T.npuir_log2(a, a, a)
            T.vadd(a, tmp, a)
            T.copy(a, C)

    a, c = _data("float32", 0.1, 9), torch.empty(8, 24)
    run_kernel(kernel, a, c)
    torch.testing.assert_close(c, torch.log2(a), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_bits_of_a_tile_are_a_new_tile(run_kernel, mode) -> None:
    alloc = _alloc(mode)

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float32"), C: T.Tensor((8, 24), "int32")):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), "float32")
            T.copy(A, a)
            T.npuir_bitcast(a, "int32")
            bits = T.vbitcast(a, "int32")
            T.clear(a)
            T.vshr(bits, 23, bits, round=False)
            T.copy(bits, C)

    a, c = _data("float32", -9, 9), torch.empty(8, 24, dtype=torch.int32)
    run_kernel(kernel, a, c, mode=mode)
    assert torch.equal(c, a.view(torch.int32) >> 23)


def test_fills_of_parts_by_all_kinds_of_scalars(run_kernel) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "float16"), C: T.Tensor((8, 24), "float16"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "float16")
            T.copy(A, a)
            T.clear(a[0:1, :])
            T.fill(a[1:2, 0:8], 3)
            T.npuir_fill(a[2:3, :], 0.5)
            value = n * 2
            T.fill(a[3:4, :], value)
            T.vbrc(a[7, 3], a[4:5, :])
            T.vbrc(a[7:8, 0:1], a[5:6, :])
            T.fill(a[6, 0], -T.infinity("float16"))
            T.copy(a, C)

    a, c = _data("float16", -2, 2), torch.empty(8, 24, dtype=torch.float16)
    run_kernel(kernel, a, c, 5)
    expected = a.clone()
    expected[0], expected[1, :8], expected[2], expected[3] = 0, 3, 0.5, 10
    expected[4], expected[5], expected[6, 0] = a[7, 3], a[7, 0], -math.inf
    assert torch.equal(c, expected)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("rint", [2.0, -2.0, 2.0, 1.0, 0.0]),
        ("round", [3.0, -3.0, 2.0, 1.0, 1.0]),
        ("floor", [2.0, -3.0, 1.0, 1.0, 0.0]),
        ("ceil", [3.0, -2.0, 2.0, 2.0, 1.0]),
        ("trunc", [2.0, -2.0, 1.0, 1.0, 0.0]),
    ],
)
def test_casts_round_as_they_are_told_and_repeat_rows(run_kernel, mode, expected) -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((1, 5), "float32"),
        B: T.Tensor((3, 5), "int32"),
        C: T.Tensor((3, 5), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((1, 5), "float32")
            b = T.alloc_ub((4, 8), "int32")
            c = T.alloc_ub((3, 5), "float32")
            T.copy(A, a)
            T.vcast(a, b[0:3, 0:5], round_mode=mode)
            T.copy(b[0:3, 0:5], B)
            T.npuir_cast(a, a, size=[1, 5], round_mode=mode)
            T.vbrc(a, c)
            T.copy(c, C)

    a = torch.tensor([[2.5, -2.5, 1.7, 1.2, 0.5]])
    b, c = torch.zeros(3, 5, dtype=torch.int32), torch.zeros(3, 5)
    run_kernel(kernel, a, b, c)
    assert torch.equal(b, torch.tensor([expected] * 3).int())
    assert torch.equal(c, torch.tensor([expected] * 3))
