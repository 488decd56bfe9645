"""Conversions and products that generated code calls."""

from __future__ import annotations

import pytest
import torch

from tlcourse.functional.runtime import Tiles, cast_copy, gemm_int8

VALUES = torch.tensor([-2.5, -1.5, -0.5, -0.2, 0.0, 0.2, 0.5, 1.5, 2.5, 2.51])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("rint", [-2, -2, 0, 0, 0, 0, 0, 2, 2, 3]),
        ("round", [-3, -2, -1, 0, 0, 0, 1, 2, 3, 3]),
        ("floor", [-3, -2, -1, -1, 0, 0, 0, 1, 2, 2]),
        ("ceil", [-2, -1, 0, 0, 0, 1, 1, 2, 3, 3]),
        ("trunc", [-2, -1, 0, 0, 0, 0, 0, 1, 2, 2]),
        ("odd", [-3, -1, -1, -1, 0, 1, 1, 1, 3, 3]),
    ],
)
def test_floats_become_whole_numbers(mode: str, expected: list[int]) -> None:
    whole, integers = torch.empty(10), torch.empty(10, dtype=torch.int32)
    cast_copy(whole, VALUES, mode)
    cast_copy(integers, VALUES, mode)
    assert integers.tolist() == expected
    assert whole.tolist() == expected


def test_integers_saturate() -> None:
    dst = torch.empty(4, dtype=torch.int8)
    cast_copy(dst, torch.tensor([300, -300, 5, -128]), "rint")
    assert dst.tolist() == [127, -128, 5, -128]
    wide = torch.empty(3, dtype=torch.int64)
    cast_copy(wide, torch.tensor([1e30, -1e30, torch.nan]), "rint")
    assert wide.tolist() == [2**63 - 1, -(2**63), 0]


def test_bool_is_not_zero() -> None:
    dst = torch.empty(3, dtype=torch.bool)
    cast_copy(dst, torch.tensor([0.0, 0.4, -3.0]), "rint")
    assert dst.tolist() == [False, True, True]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("mode", ["rint", "round", "floor", "ceil", "trunc", "odd"])
def test_half_precision_in_each_mode(kind: torch.dtype, mode: str) -> None:
    src = torch.linspace(-3, 3, 1001) * 1.000244140625
    dst = torch.empty(1001, dtype=kind)
    cast_copy(dst, src, mode)
    exact, found = src.double(), dst.double()
    step = (dst.view(torch.int16) + 1).view(kind).double().abs() - found.abs()
    assert ((found - exact).abs() <= step).all()
    checks = {
        "rint": torch.equal(dst, src.to(kind)),
        "round": bool(((found - exact).abs() * 2 <= step).all()),
        "floor": bool((found <= exact).all()),
        "ceil": bool((found >= exact).all()),
        "trunc": bool((found.abs() <= exact.abs()).all()),
        "odd": bool(((found == exact) | (dst.view(torch.int16) & 1 == 1)).all()),
    }
    assert checks[mode]


def test_ties_of_half_precision() -> None:
    src, dst = torch.tensor([2049.0, -2049.0, 2051.0]), torch.empty(3, dtype=torch.float16)
    cast_copy(dst, src, "round")
    assert dst.tolist() == [2050, -2050, 2052]
    cast_copy(dst, src, "rint")
    assert dst.tolist() == [2048, -2048, 2052]


def test_int8_product_of_more_terms_than_float32_adds_exactly() -> None:
    a = torch.full((2, 3000), -128, dtype=torch.int8)
    b = torch.full((3000, 2), -127, dtype=torch.int8)
    c = torch.full((2, 2), 1, dtype=torch.int32)
    gemm_int8(c, a, b, init=False)
    assert c.tolist() == [[1 + 128 * 127 * 3000] * 2] * 2
    gemm_int8(c, a, b, init=True)
    assert c.tolist() == [[128 * 127 * 3000] * 2] * 2


def test_tiles_are_made_once_while_there_is_room() -> None:
    source = torch.arange(32.0).half().view(4, 8)
    tiles = Tiles(source, (4, 4), (8, 1))
    assert torch.equal(tiles(4), source[:, 4:8].float())
    assert tiles(4) is tiles(4)
    made = [tiles(position) for position in range(4)]
    assert [tiles(position) is tile for position, tile in enumerate(made)] == [True] * 3 + [False]
    assert torch.equal(tiles(3), source[:, 3:7].float())
