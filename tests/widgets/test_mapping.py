"""Lines of IR know the learner's line that they come from, in every stage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.bench.mapping_page import LEAST, main, row, trace_of
from tlcourse.bench.passes_page import table
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.records import PassTrace
from tlcourse.widgets.mapping import Mapped, mapped

PAGE = Path(__file__).parents[2] / "docs" / "widgets.md"
STALE = "python -m tlcourse.bench.mapping_page"


def part_of_page(name: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split(f": {name} -->")[1].split("<!-- end of")[0]


def line_of(name: str, stages: tuple[Mapped, ...]) -> str:
    return table((), [row(name, stages)])[-1]


@pytest.mark.parametrize("case", COURSE, ids=lambda case: case.name)
def test_ops_of_every_stage_map_to_a_line(case: CourseKernel) -> None:
    stages = mapped(trace_of(case, "embedded"))
    assert len(stages) > 30
    for stage in stages:
        assert stage.ops > 10
        assert 100 * stage.own >= LEAST * stage.ops, stage.pass_name
    assert line_of(case.name, stages) in part_of_page("mapping, embedded"), STALE


@pytest.mark.slow
@pytest.mark.usefixtures("bishengir_opt")
@pytest.mark.parametrize("case", COURSE, ids=lambda case: case.name)
def test_ops_of_every_real_stage_map_to_a_line(case: CourseKernel) -> None:
    trace = trace_of(case, "bishengir")
    assert sum(one.origin == "real" for one in trace.snapshots) > 50
    stages = mapped(trace)
    for stage in stages:
        assert 100 * stage.near >= LEAST * stage.ops, stage.pass_name
    # The compiler's own text does not reach it: what is carried counts.
    assert any(100 * stage.own < LEAST * stage.ops for stage in stages)
    assert line_of(case.name, stages) in part_of_page("mapping, real"), STALE


def test_what_counts(make_trace: Callable[..., PassTrace], ir: dict[str, str]) -> None:
    bare = ir["input"].replace(' loc("cell:1":3:5)', "")
    trace = make_trace(
        ("codegen", "input", "changed", ir["input"]), ("npuir", "p", "changed", bare)
    )
    first, second = mapped(trace)  # an alloc and a copy; constants and functions do not count
    assert (first.ops, first.own, first.near) == (2, 2, 2)
    assert (second.ops, second.own, second.near) == (2, 1, 2)
    assert row("k", (first, second)) == (*("`k`", "2", "2 to 2", "50.0 %", "`p`", "100.0 %", ""),)


def test_tables_are_written_between_their_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tlcourse.bench import mapping_page

    monkeypatch.setattr(mapping_page, "lines", lambda backend: [backend])
    copy = tmp_path / "page.md"
    copy.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    assert main([str(copy)]) == 0
    text = copy.read_text(encoding="utf-8")
    assert "mapping, embedded -->\n\nembedded\n\n<!-- end" in text
    assert "mapping, real -->\n\nbishengir\n\n<!-- end" in text
