from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tlcourse.widgets.flow import FlowView, flow_svg

SVG = "{http://www.w3.org/2000/svg}"
VIEW = FlowView("From text to chip", {"you": ["kernel.py"], "compiler": ["Tile IR", "a < b"]})


def boxes(text: str) -> list[tuple[float, float]]:
    found = ElementTree.fromstring(text).iter(f"{SVG}rect")
    filled = [box for box in found if box.get("fill") == "url(#tl-ub)"]
    return [(float(box.get("x", 0)), float(box.get("y", 0))) for box in filled]


def test_each_part_has_a_box_in_the_column_of_its_stage() -> None:
    (first, top), (second, one), (third, two) = boxes(flow_svg(VIEW))
    assert first < second == third
    assert top == one < two


def test_one_arrow_less_than_stages() -> None:
    assert flow_svg(VIEW).count('class="arrow"') == 1
    assert flow_svg(FlowView("t", {"alone": []})).count('class="arrow"') == 0


@pytest.mark.parametrize("text", [flow_svg(VIEW), flow_svg(FlowView("t", {}))])
def test_it_is_a_document_with_a_name(text: str) -> None:
    assert ElementTree.fromstring(text).get("aria-label")


def test_words_are_escaped_and_no_wider_than_their_box() -> None:
    text = flow_svg(FlowView("t", {str(n): ["long" * 30] for n in range(4)}))
    widths = [float(node.get("textLength", 0)) for node in ElementTree.fromstring(text).iter()]
    assert 0 < max(widths) < 1000 / 4
    assert "a &lt; b" in flow_svg(VIEW)


def test_page_and_text_tell_all_stages(tmp_path: Path) -> None:
    assert repr(VIEW).endswith("you (kernel.py) > compiler (Tile IR, a < b))")
    page = VIEW.export_html(tmp_path / "flow.html").read_text(encoding="utf-8")
    assert 'alt="From text to chip"' in page
