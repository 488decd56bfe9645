from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tlcourse.widgets.bars import BarView, bars_svg

SVG = "{http://www.w3.org/2000/svg}"
VIEW = BarView("Read from GM", {"32 x 32": 2048, "64 x 64": 512}, "KiB")


def widths(text: str, key: str) -> list[float]:
    boxes = ElementTree.fromstring(text).iter(f"{SVG}rect")
    return [float(box.get("width", 0)) for box in boxes if box.get("fill") == f"url(#tl-{key})"]


def test_bars_are_as_long_as_their_numbers() -> None:
    long, short = widths(bars_svg(VIEW), "MTE2")
    assert short / long == pytest.approx(512 / 2048)


def test_names_and_amounts_are_written_out() -> None:
    assert ">32 x 32<" in bars_svg(VIEW)
    assert ">2,048 KiB<" in bars_svg(VIEW)
    assert repr(VIEW) == "BarView(Read from GM: 32 x 32 2,048 KiB, 64 x 64 512 KiB)"


def test_look_is_of_a_memory_or_a_pipe() -> None:
    assert len(widths(bars_svg(BarView("t", {"a": 1}, look="L0C")), "cc")) == 1
    assert len(widths(bars_svg(BarView("t", {"a": 1}, look="PIPE_V")), "V")) == 1


def test_nothing_and_zeros_are_drawn() -> None:
    assert widths(bars_svg(BarView("t", {})), "MTE2") == []
    assert widths(bars_svg(BarView("t", {"a": 0})), "MTE2") == [0.0]


def test_title_is_the_alternative_text_and_escaped(tmp_path: Path) -> None:
    view = BarView('bytes < "all"', {"a<b": 1}, language="zh")
    bundle = view._repr_mimebundle_()
    assert 'alt="bytes &lt; &quot;all&quot;"' in bundle["text/html"]
    assert "a&lt;b" in bars_svg(view)
    assert 'lang="zh"' in view.export_html(tmp_path / "bars.html").read_text(encoding="utf-8")
