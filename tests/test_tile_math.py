"""What irregular tile instructions compute, on all dtypes and where tiles share memory."""

from __future__ import annotations

import pytest
import torch

from tlcourse import tile_math

INTS = (torch.int8, torch.int16, torch.int32, torch.int64)
FLOATS = (torch.float16, torch.float32)


def _tile(dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(11)
    return torch.randint(1, 3, (5, 7), generator=generator).to(dtype)


@pytest.mark.parametrize("dtype", INTS + FLOATS)
@pytest.mark.parametrize("mode", ["sum", "prod", "max", "min"])
def test_reductions_keep_the_dtype(mode: str, dtype: torch.dtype) -> None:
    tile, out = _tile(dtype), torch.zeros(5, 1, dtype=dtype)
    tile_math.reduce(out, tile, mode, (1,))
    exact = tile.long()
    expected = {
        "sum": exact.sum(1),
        "prod": exact.prod(1),
        "max": exact.amax(1),
        "min": exact.amin(1),
    }[mode]
    if dtype == torch.int8:
        expected = expected.to(torch.int8)
    assert out.flatten().tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", INTS)
def test_bits(dtype: torch.dtype) -> None:
    tile = torch.tensor([[5, 3, 6, 12]], dtype=dtype)
    out = torch.zeros(1, 1, dtype=dtype)
    for mode, expected in (("xori", 5 ^ 3 ^ 6 ^ 12), ("ori", 15), ("andi", 0)):
        tile_math.reduce(out, tile, mode, (1,))
        assert out.item() == expected


def test_nan_wins() -> None:
    tile, out = torch.tensor([[1.0, torch.nan, 2.0]]), torch.zeros(1, 1)
    for mode in ("max", "min", "sum"):
        tile_math.reduce(out, tile, mode, (1,))
        assert out.isnan().all()


def test_bfloat16_adds_up_in_float32_where_the_result_is_wide() -> None:
    tile, out = torch.full((1, 1000), 1.0, dtype=torch.bfloat16), torch.zeros(1, 1)
    tile_math.reduce(out, tile, "sum", (1,))
    assert out.item() == 1000


def test_sources_are_read_before_the_destination_is_written() -> None:
    tile = torch.arange(16.0).view(4, 4)
    expected = tile.t().clone()
    tile_math.transpose(tile, tile, (1, 0))
    assert torch.equal(tile, expected)
    tile_math.flip(tile, tile, 0)
    assert torch.equal(tile, expected.flip(0))
    tile_math.cumsum(tile, tile, 1)
    assert torch.equal(tile, expected.flip(0).cumsum(1))
    row = torch.arange(8.0).view(1, 8)
    tile_math.deinterleave((row[:, 0:4], row[:, 4:8]), row.clone(), "ALL_CHANNELS")
    assert row.tolist() == [[0, 2, 4, 6, 1, 3, 5, 7]]


def test_padding_leaves_the_rest() -> None:
    out = torch.zeros(6, 2)
    tile_math.pad(out, torch.ones(2, 2), 9.0, (1, 0), (0, 0))
    assert out[:, 0].tolist() == [9, 1, 1, 0, 0, 0]


def test_stray_index() -> None:
    assert tile_math.stray_index(torch.tensor([[0, 3]]), 4) is None
    assert tile_math.stray_index(torch.tensor([[0, 4]]), 4) == 4
    assert tile_math.stray_index(torch.tensor([[0, -1]]), 4) == -1
