"""Blocks as tiles of a matrix, and as rounds on core groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.widgets.grid import MatrixTiles, WaveView


def test_a_block_takes_the_tile_that_its_number_gives() -> None:
    view = MatrixTiles(256, 512, 64, 128, block=6)
    assert (view.blocks, view.columns, view.place()) == (16, 4, (1, 2))
    assert view.title() == (
        "(256, 512) in tiles of 64 x 128: block 6 of 16 takes rows 64 to 127, columns 256 to 383"
    )
    assert view.to_html() == MatrixTiles(256, 512, 64, 128, block=6).to_html()


def test_rows_without_a_tile_are_named() -> None:
    assert "44 rows, 0 columns" in _decoded(MatrixTiles(300, 512, 64, 128))
    assert "no whole tile" not in _decoded(MatrixTiles(256, 512, 64, 128))


@pytest.mark.parametrize(
    ("blocks", "groups", "title", "idle"),
    [
        (24, 24, "24 blocks on 24 core groups: 1 round", 0),
        (48, 24, "48 blocks on 24 core groups: 2 rounds", 0),
        (54, 24, "54 blocks on 24 core groups: 2 rounds and 6 blocks more", 18),
        (54, 20, "54 blocks on 20 core groups: 2 rounds and 14 blocks more", 6),
    ],
)
def test_rounds(blocks: int, groups: int, title: str, idle: int) -> None:
    view = WaveView(blocks, groups)
    assert (view.title(), view.idle) == (title, idle)
    assert _decoded(view).count('fill="url(#tl-wait)"') == idle


def test_many_rounds_are_cut_and_said() -> None:
    assert "rounds not shown: 1" in _decoded(WaveView(24 * 13))


def test_chinese() -> None:
    assert "号块" in MatrixTiles(64, 64, language="zh").title()
    assert "第 1 轮" in _decoded(WaveView(3, 2, "zh"))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: MatrixTiles(0, 4), "a size is below 1"),
        (lambda: MatrixTiles(128, 128, block=4), "there is no block 4"),
        (lambda: WaveView(0), "a number is below 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make: Callable[[], object], what: str) -> None:
    with pytest.raises(TLError) as caught:
        make()
    assert caught.value.diagnostic.code == "TL733"
    assert what in caught.value.diagnostic.what


def test_files_and_bundles(tmp_path: Path) -> None:
    for view in (MatrixTiles(64, 64), WaveView(2)):
        page = view.export_html(tmp_path / "x.html").read_text("utf-8")
        assert view.to_html() in page
        assert f'alt="{view.title()}"' in page


def _decoded(view: MatrixTiles | WaveView) -> str:
    import base64
    import re

    found = re.search(r"base64,([^\"]+)", view.to_html())
    assert found is not None
    return base64.b64decode(found[1]).decode()
