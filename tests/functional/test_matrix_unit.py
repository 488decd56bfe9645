"""Products of short floats in C, on the matrix unit where there is one, against float64."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tlcourse.functional.compiled import build, find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
SOURCE = """\
#include "runtime.h"

#define RUN(name, type) \\
  void run_##name(int M, int N, int K, const type *a, int64_t a_row, int64_t a_column, \\
                  const type *b, int64_t b_row, int64_t b_column, float *c, int fresh, \\
                  char *work) { \\
    product_##name(M, N, K, a, a_row, a_column, b, b_row, b_column, c, N, fresh, work); \\
  }
RUN(f16, f16)
RUN(bf16, bf16)
"""
SHORT = {torch.float16: "f16", torch.bfloat16: "bf16"}
SIZES = [(32, 32, 32), (64, 96, 128), (8, 8, 8), (17, 33, 40), (100, 40, 72), (5, 64, 64)]
Product = Callable[..., torch.Tensor]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    path = tmp_path_factory.mktemp("unit") / "unit.so"
    assert build(SOURCE, path)
    return ctypes.CDLL(str(path))


@pytest.fixture
def product(library: ctypes.CDLL) -> Product:
    def computed(a: torch.Tensor, b: torch.Tensor, start: torch.Tensor | None) -> torch.Tensor:
        (M, K), N = a.shape, b.shape[1]
        out = torch.empty(M, N) if start is None else start.clone()
        wide = [-(-extent // 32) * 32 for extent in (M, N, K)]
        room = torch.empty(4 * wide[2] * (wide[0] + wide[1] + 32) + 64, dtype=torch.uint8)
        place = -(-room.data_ptr() // 64) * 64
        sizes = [ctypes.c_int(extent) for extent in (M, N, K)]
        strides = [[ctypes.c_int64(step) for step in one.stride()] for one in (a, b)]
        pointers = [ctypes.c_void_p(one.data_ptr()) for one in (a, b, out)]
        getattr(library, f"run_{SHORT[a.dtype]}")(
            *sizes, pointers[0], *strides[0], pointers[1], *strides[1], pointers[2],
            ctypes.c_int(start is None), ctypes.c_void_p(place),
        )  # fmt: skip
        return out

    return computed


def drawn(shape: tuple[int, int], dtype: torch.dtype, *, turned: bool = False) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    if turned:
        return torch.randn(shape[::-1], generator=generator).to(dtype).T
    return torch.randn(shape, generator=generator).to(dtype)


@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "added"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)], ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", SHORT, ids=SHORT.get)
def test_products_are_exact_up_to_the_order_of_the_sum(
    product: Product,
    dtype: torch.dtype,
    size: tuple[int, int, int],
    turned: tuple[bool, bool],
    fresh: bool,
) -> None:
    M, N, K = size
    a, b = drawn((M, K), dtype, turned=turned[0]), drawn((K, N), dtype, turned=turned[1])
    start = None if fresh else drawn((M, N), torch.float16).float()
    wanted = a.double() @ b.double() + (0 if start is None else start.double())
    scale = a.double().abs() @ b.double().abs() + (0 if start is None else start.double().abs())
    error = (product(a, b, start).double() - wanted).abs()
    assert bool((error <= (K + 1) * 2**-24 * scale).all())


@pytest.mark.parametrize("dtype", SHORT, ids=SHORT.get)
@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")], ids=str)
@pytest.mark.parametrize("side", [0, 1], ids=["left", "right"])
def test_infinity_and_nan_are_what_floats_make_of_them(
    product: Product, dtype: torch.dtype, bad: float, side: int
) -> None:
    a, b = drawn((40, 48), dtype).abs() + 1, drawn((48, 64), dtype).abs() + 1
    (a, b)[side][3, 5] = bad
    torch.testing.assert_close(
        product(a, b, None), a.float() @ b.float(), rtol=1e-5, atol=0, equal_nan=True
    )


def test_the_smallest_and_largest_float16_are_not_lost(product: Product) -> None:
    a = torch.full((32, 32), 2.0**-24, dtype=torch.float16)  # the smallest above 0
    b = torch.full((32, 32), 65504.0, dtype=torch.float16)
    assert product(a, b, None).unique().tolist() == [32 * 2.0**-24 * 65504.0]


def test_a_product_beside_the_unit_gives_the_same(product: Product) -> None:
    a, b = drawn((64, 64), torch.float16), drawn((64, 64), torch.float16)
    rows = [product(a[i : i + 4], b, None) for i in range(0, 64, 4)]  # too few for the unit
    torch.testing.assert_close(torch.cat(rows), product(a, b, None), rtol=1e-5, atol=1e-5)


def test_sources_of_the_text_stand_alone(tmp_path: Path) -> None:
    from tlcourse.functional.compiled import whole_text

    text = whole_text(SOURCE)
    assert '#include "' not in text
    assert "unit_product" in text
