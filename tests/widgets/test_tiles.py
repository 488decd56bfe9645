from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.widgets.tiles import TileView, tiles_svg

SVG = "{http://www.w3.org/2000/svg}"
UNIT = 190 / 256  # points of one element, when the longest side is 256


def filled(view: TileView, memory: str) -> list[ElementTree.Element]:
    """The rectangles of the matrices that are filled in the look of a memory."""
    root = ElementTree.fromstring(tiles_svg(view))
    boxes = [box for box in root.iter(f"{SVG}rect") if box.get("fill") == f"url(#tl-{memory})"]
    return [box for box in boxes if float(box.get("x", 0)) < 560]  # the key stands on the right


def size(box: ElementTree.Element) -> tuple[int, int]:
    """Rows and columns that a rectangle covers."""
    height, width = (float(box.get(name, 0)) / UNIT for name in ("height", "width"))
    return round(height), round(width)


def test_block_has_the_corner_that_the_kernel_computes() -> None:
    view = TileView(256, 512, 64, block_M=64, block_N=128, block=6)
    assert view.corner() == (6 // 4 * 64, 6 % 4 * 128)
    assert "rows 64 to 127, columns 256 to 383" in view.title()


def test_strips_reach_over_the_whole_of_k() -> None:
    assert [size(box) for box in filled(TileView(256, 256, 256, block=6), "gm")] == [
        (64, 256),
        (256, 64),
    ]


def test_trip_marks_one_part_of_both_strips() -> None:
    view = TileView(256, 256, 256, block=6, trip=1)
    a_part, b_part = filled(view, "cbuf")
    a_strip, b_strip = filled(view, "gm")
    assert (size(a_part), size(b_part)) == ((64, 64), (64, 64))
    left = float(a_part.get("x", 0)) - float(a_strip.get("x", 0))
    above = float(b_part.get("y", 0)) - float(b_strip.get("y", 0))
    assert left == pytest.approx(64 * UNIT, abs=0.2)
    assert above == pytest.approx(64 * UNIT, abs=0.2)
    assert filled(TileView(256, 256, 256, block=6), "cbuf") == []


def test_one_tile_of_c_is_the_blocks() -> None:
    assert [size(box) for box in filled(TileView(256, 256, 256, block=6), "cc")] == [(64, 64)]


def test_what_no_block_makes_is_counted() -> None:
    view = TileView(300, 250, 256)
    assert view.missed() == (44, 58)
    assert "no block makes these: 44 rows, 58 columns" in tiles_svg(view)
    assert "no block makes these" not in tiles_svg(TileView(256, 256, 256))


def test_tiles_are_numbered_while_there_is_room() -> None:
    assert len(re.findall(r">\d+<", tiles_svg(TileView(256, 256, 256)))) == 16
    assert not re.findall(r">\d+<", tiles_svg(TileView(1024, 1024, 256)))


def test_grid_of_zero_blocks_is_drawn_inside_its_matrices() -> None:
    view = TileView(48, 256, 256)
    assert filled(view, "cc") == []
    assert [size(box) for box in filled(view, "gm")] == [(48, 256), (256, 64)]
    assert "no block makes these: 48 rows" in tiles_svg(view)


def test_page_reads_without_a_script(tmp_path: Path) -> None:
    view = TileView(256, 256, 256, block=6)
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == f"TileView({view.title()})"
    assert f'alt="{view.title()}"' in bundle["text/html"]
    picture = re.search(r"base64,([^\"]+)", bundle["text/html"])
    assert picture
    assert base64.b64decode(picture[1]).decode() == tiles_svg(view)
    assert "<script" not in view.export_html(tmp_path / "tiles.html").read_text(encoding="utf-8")


def test_words_in_chinese() -> None:
    view = TileView(300, 256, 256, block=6, trip=0, language="zh")
    assert "：逻辑块 6 计算 C 的第 64 到 127 行" in view.title()
    text = tiles_svg(view)
    assert "没有逻辑块计算这里" in text
    assert "这个逻辑块计算的 C 的数据块" in text
    # Every block is a logical one or one of data; cutting into tiles is the only other word.
    assert not re.search("(?<!逻辑)(?<!数据)(?<!分)块", text)


@pytest.mark.parametrize(
    "arguments",
    [{"block": 16}, {"block": -1}, {"trip": 4}, {"block_M": 0}, {"block_K": -64}],
    ids=["block past the end", "block below 0", "trip past the end", "no rows", "below 0"],
)
def test_what_is_not_there_cannot_be_drawn(arguments: dict[str, int]) -> None:
    with pytest.raises(TLError) as caught:
        TileView(256, 256, 256, **arguments)
    assert caught.value.code == "TL733"
