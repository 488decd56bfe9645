from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tlcourse.widgets import palette, svg


@pytest.mark.parametrize(
    ("start", "end", "expected", "decimals"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100], 0),
        (7400, 26000, [8000, 10000, 12000, 14000, 16000, 18000, 20000, 22000, 24000, 26000], 0),
        (0.5, 2.1, [0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0], 1),
        (5, 5, [5], 10),
    ],
)
def test_ticks_are_round(start: float, end: float, expected: list[float], decimals: int) -> None:
    found, places = svg.ticks(start, end, 10 if end == 26000 else 8)
    assert found == pytest.approx(expected)
    assert places == decimals


def test_text_and_titles_are_escaped() -> None:
    markup = svg.words(0, 0, "a<b>") + svg.box(0, 0, 1, 1, title='"<&')
    root = ElementTree.fromstring(f"<g>{markup}</g>")
    assert root[0].text == "a<b>"
    assert root[1][0].text == '"<&'


def test_every_swatch_has_a_pattern() -> None:
    for swatch in [*palette.PIPES.values(), *palette.MEMORIES.values()]:
        root = ElementTree.fromstring(svg.pattern(swatch))
        assert svg.fill_of(swatch) == f"url(#{root.get('id')})"


def test_numbers_are_cut_to_a_tenth() -> None:
    assert svg.path_box(1.26, 2.0, 3.04, 28.0) == "M1.3 2h3v28h-3z"


def test_figure_survives_where_inline_svg_is_dropped() -> None:
    text = svg.figure_html("<svg/>", 'k "x"', "a < b", "<table></table>")
    assert 'alt="k &quot;x&quot;"' in text
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+"' in text
    assert "<svg" not in text
    assert "a &lt; b" in text
