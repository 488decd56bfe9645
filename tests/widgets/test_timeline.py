from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.records import Instruction, Timeline
from tlcourse.widgets.timeline import TimelineView, merged, timeline_svg

MakeInstruction = Callable[..., Instruction]


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def long_timeline(
    timeline: Timeline, make_instruction: MakeInstruction
) -> Callable[[int], Timeline]:
    """A loop: a load of 900 cycles and a matmul of 500 in each trip of 1,000."""

    def make(trips: int) -> Timeline:
        work = [
            item
            for k in range(trips)
            for item in (
                make_instruction(2 * k, "MTE2", 1000 * k, 1000 * k + 900),
                make_instruction(2 * k + 1, "M", 1000 * k, 1000 * k + 500, op="mmadL1"),
            )
        ]
        return replace(timeline, instructions=tuple(work), cycles=1000 * trips, bubbles=())

    return make


def test_figure_is_one_labelled_image(timeline: Timeline) -> None:
    root = ElementTree.fromstring(timeline_svg(timeline))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Timeline of minicv"
    assert root.find(f"{SVG}title").text == "Timeline of minicv"
    assert root.find(f"{SVG}desc").text == "aic MTE2 30.0%; aic CUBE 22.5%; aic FIXP 12.5%"


def test_slices_and_gaps_tell_what_they_are(timeline: Timeline) -> None:
    text = timeline_svg(timeline)
    titles = re.findall(r"<title>([^<]+)</title>", text)
    assert "nd2nz: cycles 1,000 to 1,400, 8,192 B, line 4" in titles
    assert "waits for nd2nz on MTE2, line 4: 1,000 cycles" in titles
    assert 'fill="url(#tl-MTE2)"' in text
    assert 'fill="url(#tl-wait)"' in text


def test_slice_is_as_long_as_its_cycles(timeline: Timeline) -> None:
    root = ElementTree.fromstring(timeline_svg(timeline))
    width = {
        rect.find(f"{SVG}title").text.split(":")[0]: float(rect.get("width"))
        for rect in root.iter(f"{SVG}rect")
        if rect.find(f"{SVG}title") is not None
    }
    plot = 1000 - 172 - 16  # 2,400 cycles are drawn
    assert width["mmadL1"] == pytest.approx(plot * 900 / 2400, abs=0.1)
    assert width["fixpipe"] == pytest.approx(plot * 500 / 2400, abs=0.1)


def test_axes_in_cycles_and_microseconds(timeline: Timeline) -> None:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", timeline_svg(timeline))
    assert {"cycles", "us", "1,000", "2,000", "3,000", "1.0", "1.8"} <= set(texts)
    assert "Ascend910B1, 4,000 cycles = 2.16 us" in texts


def test_idle_pipes_and_other_blocks_are_left_out(timeline: Timeline) -> None:
    text = timeline_svg(timeline)
    assert "SCALAR" not in text
    assert "3,600" not in text


def test_without_tooltips_a_lane_is_one_path(timeline: Timeline) -> None:
    text = timeline_svg(timeline, tooltips=False)
    assert text.count("<path d=") + text.count("<path fill=") >= 3
    assert "8,192" not in text
    assert len(text) < len(timeline_svg(timeline))


def test_short_neighbours_are_merged_and_say_how_busy_they_are(
    make_instruction: MakeInstruction,
) -> None:
    work = tuple(make_instruction(k, "V", 10 * k, 10 * k + 5, op="vexp") for k in range(100))
    far = make_instruction(100, "V", 5000, 5900, op="vadd")
    first, second = merged((*work, far), finest=20)
    assert (first.start_cycle, first.end_cycle, first.count) == (0, 995, 100)
    assert first.text == "100 vexp, busy 50%"
    assert (second.text, second.count) == ("vadd", 1)


def test_a_long_instruction_is_never_merged(make_instruction: MakeInstruction) -> None:
    work = (
        make_instruction(0, "V", 0, 5),
        make_instruction(1, "V", 6, 100),
        make_instruction(2, "V", 101, 104),
    )
    assert [item.count for item in merged(work, finest=20)] == [1, 1, 1]


@pytest.mark.parametrize("trips", [40, 2000])
@pytest.mark.parametrize("tooltips", [True, False])
def test_text_is_bounded(
    long_timeline: Callable[[int], Timeline], trips: int, tooltips: bool
) -> None:
    assert len(timeline_svg(long_timeline(trips), tooltips=tooltips)) <= 40_000


def test_stored_output_is_bounded_and_repeatable(
    long_timeline: Callable[[int], Timeline],
) -> None:
    view = TimelineView(long_timeline(5000))
    assert len(view.to_html()) <= 60_000
    assert view.to_html() == view.to_html()


def test_bundle_holds_figure_table_and_text(timeline: Timeline) -> None:
    bundle = TimelineView(timeline)._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == (
        "TimelineView(minicv: 4,000 cycles, 2.16 us on Ascend910B1; block 0 shown; "
        "aic MTE2 30.0%, aic CUBE 22.5%, aic FIXP 12.5%)"
    )
    markup = bundle["text/html"]
    picture = re.search(r'base64,([^"]+)"', markup)
    assert base64.b64decode(picture.group(1)).startswith(b"<svg")
    assert "<td>aic CUBE</td><td>1</td><td>900</td><td>22.5%</td>" in markup
    assert "23 further blocks are timed by the ones that were run" in markup
    assert "after 1,000 cycles of launch" in markup


def test_launch_without_instructions(timeline: Timeline) -> None:
    text = timeline_svg(replace(timeline, instructions=(), lanes=()))
    assert "No instruction was recorded." in text


def test_words_in_chinese(timeline: Timeline) -> None:
    text = timeline_svg(timeline, language="zh")
    assert "minicv 的时间线" in text
    assert "矩阵单元" in text
    titles = re.findall(r"<title>([^<]+)</title>", text)
    assert "nd2nz: 周期 1,000 到 1,400, 8,192 B, 第 4 行" in titles
    assert " 周期 = " in text
    assert " cycles" not in text


def test_export_html(timeline: Timeline, tmp_path: Path) -> None:
    path = TimelineView(timeline).export_html(tmp_path / "timeline.html")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert TimelineView(timeline).to_html() in text


def test_arrows_of_waits_that_stop_a_pipe(
    timeline: Timeline, make_instruction: MakeInstruction
) -> None:
    load, second, product, store, rest = timeline.instructions
    product, store = replace(product, waits_on=(0, 1)), replace(store, waits_on=(2,))
    joined = replace(timeline, instructions=(load, second, product, store, rest))
    assert 'class="arrow"' not in timeline_svg(timeline)
    text = timeline_svg(joined)
    (arrow,) = re.findall(r'<path d="M(\d+) (\d+)C[^"]*?(\d+) (\d+)" class="arrow"', text)
    x0, y0, x1, y1 = map(int, arrow)
    assert (x0, x1) == (510, 510)  # from the end of the second load, cycle 2,000 of 1,000 to 3,400
    assert y1 - y0 == 33  # down to the next lane
    assert "arrows: waits that stop a pipe" in text
    assert "dashed" not in text


def test_arrow_between_cores_is_dashed_and_short_waits_have_none(
    timeline: Timeline, make_instruction: MakeInstruction
) -> None:
    load = make_instruction(0, "MTE2", 1000, 2000)
    other = make_instruction(1, "V", 2000, 3000, agent="aiv0", op="vadd", waits_on=(0,))
    lane = replace(timeline.lanes[0], name="core0.V", agent="aiv0", pipe="V")
    gap = replace(timeline.bubbles[0], lane="core0.V", start_cycle=1000, end_cycle=2000)
    made = replace(
        timeline, instructions=(load, other), lanes=(timeline.lanes[0], lane), bubbles=(gap,)
    )
    text = timeline_svg(made)
    assert re.search(r'class="arrow"[^>]*stroke-dasharray', text)
    assert "dashed: between cores" in text
    short = replace(gap, start_cycle=1999)
    assert 'class="arrow"' not in timeline_svg(replace(made, bubbles=(short,)))
