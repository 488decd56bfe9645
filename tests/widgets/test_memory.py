from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.records import MemoryMap, PlannedBuffer
from tlcourse.widgets.memory import MemoryView, memory_svg, memory_table, peak_bytes

SVG = "{http://www.w3.org/2000/svg}"


def boxes(text: str) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(text)
    titled = (rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None)
    return {rect.find(f"{SVG}title").text.split(":")[0]: rect for rect in titled}


def test_peak_counts_all_copies(memory: tuple[MemoryMap, ...]) -> None:
    assert [peak_bytes(one) for one in memory] == [32768, 262144]


def test_each_copy_is_a_box_above_the_one_before(memory: tuple[MemoryMap, ...]) -> None:
    found = boxes(memory_svg(memory))
    assert {"a_sh[0]", "a_sh[1]", "c_ub", "d_ub"} == found.keys()
    low, high = found["a_sh[0]"], found["a_sh[1]"]
    assert float(high.get("y")) + float(high.get("height")) == float(low.get("y"))


def test_height_is_bytes_and_width_is_program_order(memory: tuple[MemoryMap, ...]) -> None:
    found = boxes(memory_svg(memory))
    c_ub, d_ub = found["c_ub"], found["d_ub"]
    assert float(c_ub.get("height")) == 100.0  # half of the 200 drawn, 262,144 B
    # c_ub lives for three places in program order, d_ub for two.
    assert float(d_ub.get("width")) / float(c_ub.get("width")) == pytest.approx(2 / 3, abs=1e-3)


def test_buffer_past_the_limit_is_framed_and_named(memory: tuple[MemoryMap, ...]) -> None:
    text = memory_svg(memory)
    assert boxes(text)["d_ub"].get("class") == "limit"
    assert boxes(text)["c_ub"].get("class") is None
    assert ">! d_ub<" in text


def test_limit_and_peak_are_written_out(memory: tuple[MemoryMap, ...]) -> None:
    text = memory_svg(memory)
    assert "capacity 196,608 B" in text
    assert "peak 262,144 B" in text
    assert "\u2191 capacity 524,288 B" in text  # L1 is hardly used: its upper part is cut off


def test_table(memory: tuple[MemoryMap, ...]) -> None:
    head, rows = memory_table(memory)
    assert head[:3] == ("memory", "buffer", "offset, B")
    assert rows[0] == ("L1", "a_sh", "0", "16,384", "2", "1 - 6", "", "yes")
    assert rows[2][-1] == "no: ends 65,536 B past the limit"


def test_bundle_holds_figure_table_and_text(memory: tuple[MemoryMap, ...]) -> None:
    bundle = MemoryView(memory, "minicv")._repr_mimebundle_()
    assert bundle["text/plain"] == "MemoryView(L1 32,768/524,288 B, UB 262,144/196,608 B)"
    assert "data:image/svg+xml;base64," in bundle["text/html"]
    assert "<td>d_ub</td>" in bundle["text/html"]
    assert "UB: peak 262,144 B, capacity 196,608 B (133%)" in bundle["text/html"]


def test_no_buffers(memory: tuple[MemoryMap, ...]) -> None:
    assert "No buffer was planned." in memory_svg([replace(memory[0], buffers=())])
    assert "No buffer was planned." in memory_svg([])


def test_words_in_chinese_and_names_escaped(memory: tuple[MemoryMap, ...]) -> None:
    text = memory_svg(memory, kernel="<k>", language="zh")
    assert "&lt;k&gt; 的片上内存" in text
    assert re.search("容量 196,608 B", text)
    assert "c_ub：字节 0 到" in text
    assert "bytes" not in text


def test_export_html(memory: tuple[MemoryMap, ...], tmp_path: Path) -> None:
    path = MemoryView(memory).export_html(tmp_path / "memory.html")
    assert "<td>d_ub</td>" in path.read_text(encoding="utf-8")


def test_two_buffers_in_one_place_are_hatched_where_both_live() -> None:
    first = PlannedBuffer(name="c", offset_bytes=0, size_bytes=4096, first=2, last=6)
    second = PlannedBuffer(name="d", offset_bytes=1024, size_bytes=1024, first=5, last=9)
    text = memory_svg((MemoryMap(space="ub", capacity_bytes=8192, buffers=(first, second)),))
    (shared,) = re.findall(
        r'<rect x="([\d.]+)"[^>]*width="([\d.]+)"[^>]*url\(#tl-shared\)[^>]*>', text
    )
    across = (1000 - 96 - 212) / 8  # positions 2 to 9
    assert [float(one) for one in shared] == [round(96 + 3 * across, 1), round(2 * across, 1)]
    assert "hatched: c and d share bytes 1,024 to 2,048 from 5 to 6: one value" in text
    middle = re.search(r'<text x="([\d.]+)"[^>]*>c</text>', text)
    assert middle is not None
    assert float(middle[1]) == round(96 + 1.5 * across, 1)  # beside what d covers
    assert (
        "hatched: c and d"
        in MemoryView((MemoryMap(space="ub", capacity_bytes=8192, buffers=(first, second)),))
        .to_html()
        .split("<figcaption>")[1]
    )
    in_place = replace(second, first=6)
    assert "hatched: the op at 6 reads c for the last time and writes d in its place" in memory_svg(
        (MemoryMap(space="ub", capacity_bytes=8192, buffers=(first, in_place)),)
    )
    apart = replace(second, first=7)
    assert "tl-shared)" not in memory_svg(
        (MemoryMap(space="ub", capacity_bytes=8192, buffers=(first, apart)),)
    )


def test_memories_of_the_cube_core_have_one_axis() -> None:
    """L0C lives after L1 here: side by side on one axis, not both over the whole width."""

    def held(space: str, first: int, last: int) -> MemoryMap:
        name = f"in_{space}"
        buffer = PlannedBuffer(name=name, offset_bytes=0, size_bytes=512, first=first, last=last)
        return MemoryMap(space=space, capacity_bytes=1024, buffers=(buffer,))

    text = memory_svg((held("cbuf", 2, 5), held("cc", 6, 11), held("ub", 0, 3)))
    found = re.findall(r'<rect x="([\d.]+)"[^>]*width="([\d.]+)"[^>]*fill="url\(#tl-(\w+)\)"', text)
    across = 1000 - 96 - 212
    places = {space: (float(x) - 96, float(width)) for x, width, space in found}
    assert places["cbuf"] == pytest.approx((0, 0.4 * across), abs=0.11)
    assert places["cc"] == pytest.approx((0.4 * across, 0.6 * across), abs=0.11)
    assert places["ub"] == pytest.approx((0, across), abs=0.11)
