"""The chip on one page: sizes from the chip's data, every legal path, those of a launch lit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tlcourse.chips import CHIPS
from tlcourse.diagnostics import Span
from tlcourse.records import Instruction, Timeline
from tlcourse.widgets.chip import PATHS, ChipView, chip_svg, path_id
from tlcourse.widgets.labels import Language

CHIP = CHIPS["Ascend910B1"]


def timeline(*work: tuple[str, str]) -> Timeline:
    instructions = tuple(
        Instruction(id=number, block=0, agent=agent, pipe=pipe, op="x", start_cycle=0, end_cycle=1)
        for number, (agent, pipe) in enumerate(work)
    )
    return Timeline(
        chip=CHIP.name,
        kernel="k",
        clock_mhz=1850,
        cycles=1,
        launch_cycles=0,
        lanes=(),
        instructions=instructions,
    )


def test_sizes_are_those_of_the_chip() -> None:
    text = chip_svg(ChipView(CHIP))
    for size in ("64 GiB", "512 KiB", "64 KiB", "128 KiB", "192 KiB"):
        assert size in text
    other = replace(CHIP, core_groups=20, sizes_bytes={**CHIP.sizes_bytes, "ub": 1024})
    assert "20 groups" in chip_svg(ChipView(other))
    assert "1 KiB" in chip_svg(ChipView(other))


def test_no_path_joins_ub_and_l1_and_only_the_cube_fills_l0c() -> None:
    pairs = {(path.source, path.target) for path in PATHS}
    assert not {("ub", "cbuf"), ("cbuf", "ub"), ("ub", "cc"), ("cc", "ub")} & pairs
    assert {path.pipe for path in PATHS if path.target == "cc"} == {"M"}


def test_a_launch_lights_its_own_paths() -> None:
    view = ChipView(CHIP, timeline(("aiv0", "MTE2"), ("aiv1", "MTE3"), ("aiv0", "V")), "add")
    lit = [path for path in PATHS if view.is_lit(path)]
    assert [(path.core, path.pipe) for path in lit] == [
        ("aiv", "MTE2"),
        ("aiv", "MTE3"),
        ("aiv", "V"),
    ]
    assert chip_svg(view).count("stroke-dasharray") == 7
    assert "Thick arrows: used by add." in view.to_html()


def test_each_arrow_of_the_page_leads_to_its_row_with_the_lines(tmp_path: Path) -> None:
    span = Span(source="k", line=7, column=1, end_line=7, end_column=9)
    launch = timeline(("aiv0", "MTE2"), ("aiv1", "MTE2"))
    work = tuple(replace(one, span=span) for one in launch.instructions)
    view = ChipView(CHIP, replace(launch, instructions=work), "add")
    page = view.export_html(tmp_path / "chip.html").read_text("utf-8")
    for path in PATHS:
        assert page.count(f'<tr id="{path_id(path)}">') == 1
        assert f'<a href="#{path_id(path)}" aria-label=' in page
    row = page.split('<tr id="aiv-gm-ub">')[1].split("</tr>")[0]
    assert row.endswith("<td>MTE2</td><td>AIV</td><td>yes</td><td>7</td>")
    assert 'role="group"' in page
    assert "<tr id=" not in view.to_html()


@pytest.mark.browser
def test_an_arrow_is_clicked(chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.goto(ChipView(CHIP).export_html(tmp_path / "chip.html").as_uri())
    page.get_by_role("link", name="FIXP, AIC: L0C - GM").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#aic-cc-gm")
    page.locator("#aic-cc-gm td").first.wait_for(state="visible")
    page.close()


@pytest.mark.parametrize(("language", "word"), [("en", "cube core"), ("zh", "cube 核")])
def test_the_page_has_a_table_a_text_and_no_script(
    language: Language, word: str, tmp_path: Path
) -> None:
    view = ChipView(CHIP, language=language)
    page = view.to_html()
    assert page.count("<tr>") == 1 + len(PATHS)
    assert f'alt="{view.title()}"' in page
    assert "<script" not in page
    assert word in chip_svg(view)
    assert view.export_html(tmp_path / "chip.html").read_text("utf-8").endswith("</html>\n")
