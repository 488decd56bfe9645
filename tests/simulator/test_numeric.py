"""What instructions compute, against torch."""

from __future__ import annotations

import math

import pytest
import torch

from tlcourse.simulator import numeric


def fractal(matrix: torch.Tensor, c0: int) -> torch.Tensor:
    """A matrix as [c1, r1, 16, c0], element by element, tails filled with NaN or -1."""
    rows, columns = matrix.shape
    filler = math.nan if matrix.dtype.is_floating_point else -1
    shape = (-(-columns // c0), -(-rows // 16), 16, c0)
    tile = torch.full(shape, filler, dtype=matrix.dtype)
    for r in range(rows):
        for c in range(columns):
            tile[c // c0, r // 16, r % 16, c % c0] = matrix[r, c]
    return tile


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("rint", [-2, -2, 0, 0, 2, 2]),
        ("round", [-3, -2, -1, 1, 2, 3]),
        ("floor", [-3, -2, -1, 0, 1, 2]),
        ("ceil", [-2, -1, 0, 1, 2, 3]),
        ("trunc", [-2, -1, 0, 0, 1, 2]),
    ],
)
def test_floats_become_integers_by_the_mode(mode: str, wanted: list[int]) -> None:
    src = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    dst = torch.zeros(6, dtype=torch.int32)
    numeric.cast(src, dst, mode)
    assert dst.tolist() == wanted
    same = torch.zeros(6)
    numeric.cast(src, same, mode)
    assert same.tolist() == wanted


def test_floats_saturate_and_nan_is_zero() -> None:
    src = torch.tensor([1e30, -1e30, math.inf, math.nan])
    dst = torch.zeros(4, dtype=torch.int64)
    numeric.cast(src, dst)
    assert dst.tolist() == [2**63 - 1, -(2**63), 2**63 - 1, 0]


def test_wide_integers_saturate_in_narrow_ones() -> None:
    src = torch.tensor([300, -300, 7], dtype=torch.int32)
    dst = torch.zeros(3, dtype=torch.int8)
    numeric.cast(src, dst)
    assert dst.tolist() == [127, -128, 7]
    numeric.cast(src, dst, "truncwithoverflow")
    assert dst.tolist() == [44, -44, 7]


def test_cast_in_place_over_the_same_bytes() -> None:
    bytes_ = torch.empty(1024, dtype=torch.uint8)
    src, dst = bytes_.view(torch.float32), bytes_[:512].view(torch.float16)
    values = torch.linspace(-4, 4, 256)
    src.copy_(values)
    numeric.cast(src, dst)
    assert torch.equal(dst, values.half())
    half = values.half()
    dst.copy_(half)
    numeric.cast(dst, src)
    assert torch.equal(src, half.float())


@pytest.mark.parametrize(
    ("rows", "columns", "dtype"),
    [(32, 48, torch.float16), (17, 33, torch.float16), (1, 1, torch.float32), (40, 64, torch.int8)],
)
def test_nd2nz_keeps_to_the_rows_and_columns(rows: int, columns: int, dtype: torch.dtype) -> None:
    src = torch.arange(rows * columns).reshape(rows, columns).remainder(100).to(dtype)
    wanted = fractal(src, 32 // dtype.itemsize)
    dst = torch.full_like(wanted, -1 if dtype == torch.int8 else math.nan)
    numeric.nd2nz(src, dst)
    assert torch.equal(dst.nan_to_num(-1), wanted.nan_to_num(-1))


@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("sizes", [(32, 48, 16), (17, 33, 5)])
def test_mmad(sizes: tuple[int, int, int], transposed: tuple[bool, bool]) -> None:
    m, k, n = sizes
    a, b = torch.randn(m, k).half(), torch.randn(k, n).half()
    left = fractal(a.t() if transposed[0] else a, 16)
    right = fractal(b.t() if transposed[1] else b, 16)
    c = fractal(torch.full((m, n), math.nan), 16)
    out = torch.zeros(m, n)
    wanted = a.float() @ b.float()
    for init, factor in ((True, 1), (False, 2)):
        numeric.mmad(left, right, init, m, k, n, c, *transposed)
        numeric.fixpipe(c, out)
        torch.testing.assert_close(out, wanted * factor, atol=1e-4, rtol=1e-4)


def test_mmad_of_int8_is_exact() -> None:
    a, b = torch.full((16, 2048), 127).to(torch.int8), torch.full((2048, 16), 127).to(torch.int8)
    c = torch.zeros(1, 1, 16, 16, dtype=torch.int32)
    numeric.mmad(fractal(a, 32), fractal(b, 32), True, 16, 2048, 16, c)
    assert (c == 127 * 127 * 2048).all()


def test_fixpipe_casts_and_applies_relu() -> None:
    values = torch.linspace(-3, 3, 256).reshape(16, 16)
    out = torch.zeros(16, 16).half()
    numeric.fixpipe(fractal(values, 16), out, relu="NORMAL_RELU")
    assert torch.equal(out, values.clamp_min(0).half())


def test_fixpipe_of_one_dtype_does_not_round() -> None:
    values = torch.linspace(-3, 3, 256).reshape(16, 16)
    out = torch.zeros(16, 16)
    numeric.fixpipe(fractal(values, 16), out)
    assert torch.equal(out, values)


def test_a_tile_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold 32 x 32"):
        numeric.fixpipe(torch.zeros(1, 1, 16, 16), torch.zeros(32, 32))
