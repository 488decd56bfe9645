"""Products and moves of many blocks at once: bit for bit those of one block after another."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlcourse.simulator import lane_numeric, numeric

BLOCKS = 3


def fractals(columns: int, rows: int, c0: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.zeros(BLOCKS, -(-columns // c0), -(-rows // 16), 16, c0, dtype=dtype)


def matrices(tiles: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The matrices that tiles of fractals hold."""
    blocks, c1, r1, rows, c0 = tiles.shape
    whole = tiles.permute(0, 2, 3, 1, 4).reshape(blocks, r1 * rows, c1 * c0)
    return whole.to(dtype)


def loaded(dtype: torch.dtype, rows: int, columns: int, *, shared: bool) -> torch.Tensor:
    generator = torch.Generator().manual_seed(rows * 100 + columns)
    shape = (1 if shared else BLOCKS, rows, columns)
    if dtype == torch.int8:
        return torch.randint(-128, 128, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator).to(dtype)


@pytest.mark.parametrize(
    ("dtype", "c0", "wide"),
    [
        (torch.float16, 16, torch.float32),
        (torch.bfloat16, 16, torch.float32),
        (torch.float32, 8, torch.float32),
        (torch.int8, 32, torch.float64),
    ],
)
@settings(deadline=None, max_examples=25)
@given(
    sizes=st.tuples(st.integers(1, 70), st.integers(1, 160), st.integers(1, 70)),
    turned=st.tuples(st.booleans(), st.booleans()),
    shared=st.tuples(st.booleans(), st.booleans()),
    relu=st.sampled_from(("NO_RELU", "NORMAL_RELU")),
)
def test_load_multiply_store(dtype, c0, wide, sizes, turned, shared, relu) -> None:
    m, k, n = sizes
    total = torch.int32 if dtype == torch.int8 else torch.float32
    shapes = ((k, m) if turned[0] else (m, k)), ((n, k) if turned[1] else (k, n))
    sources = [loaded(dtype, *shapes[i], shared=shared[i]) for i in (0, 1)]
    tiles = [fractals(shape[1], shape[0], c0, dtype) for shape in shapes]
    c = fractals(n, m, 16, total)
    kept = [matrices(tile[: len(s)], wide) for tile, s in zip(tiles, sources, strict=True)]
    whole = matrices(c, total)
    for tile, source, matrix in zip(tiles, sources, kept, strict=True):
        lane_numeric.nd2nz(source, matrix)
        for block in range(BLOCKS):
            numeric.nd2nz(source[block % len(source)], tile[block])
    flags = {"a_transpose": turned[0], "b_transpose": turned[1]}
    out = torch.zeros(BLOCKS, m, n, dtype=total if dtype == torch.int8 else dtype)
    found = out.clone()
    for init in (True, False):
        lane_numeric.mmad(*kept, init, m, k, n, whole, **flags)
        for block in range(BLOCKS):
            numeric.mmad(tiles[0][block], tiles[1][block], init, m, k, n, c[block], **flags)
    lane_numeric.fixpipe(whole, found, relu=relu)
    for block in range(BLOCKS):
        numeric.fixpipe(c[block], out[block], relu=relu)
    assert torch.equal(found, out)
