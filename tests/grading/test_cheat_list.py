"""The list of cheats and faults of grading.md, each with the score it gets for ever."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tlcourse.grading.authoring.cheats import Cheat, cheats, write_cheat
from tlcourse.grading.forked import WarmParent
from tlcourse.grading.hand_in import graded
from tlcourse.grading.protection import Protection, parent_here, protection_of, runner_of
from tlcourse.grading.report import as_html, as_text
from tlcourse.grading.sandbox import Limits

LIMITS = Limits(cpu_seconds=4, wall_seconds=40)
CHEATS = {cheat.name: cheat for cheat in cheats()}


@pytest.fixture(scope="module")
def here() -> Generator[tuple[WarmParent | None, Protection]]:
    parent = parent_here()
    yield parent, protection_of(parent)
    if parent is not None:
        parent.stop()


def _slow_where_it_waits(cheat: Cheat) -> object:
    waits = cheat.state == "TIMEOUT" or cheat.file == "blow up"
    return pytest.param(cheat, marks=pytest.mark.slow if waits else (), id=cheat.name)


@pytest.mark.parametrize("cheat", [_slow_where_it_waits(cheat) for cheat in CHEATS.values()])
def test_it_scores_as_stated(
    cheat: Cheat, tmp_path: Path, here: tuple[WarmParent | None, Protection]
) -> None:
    parent, protection = here
    if cheat.needs and any(off.startswith(cheat.needs) for off in protection.off):
        pytest.skip(f"off here: {cheat.needs}")
    path = write_cheat(cheat, tmp_path)
    found = graded(path, limits=LIMITS, runner=runner_of(parent, protection))
    verdict = found.verdict
    assert (verdict.state, verdict.points) == (cheat.state, cheat.points), as_text(verdict)
    assert cheat.said in as_text(verdict)
    if "prints its shapes" in cheat.name:
        assert "the shape is 4096" in found.output
        assert "the shape is" not in as_text(verdict) + as_html(verdict)


def test_the_list_is_that_of_the_design() -> None:
    assert len(CHEATS) == len(cheats()) == 31
    assert len({cheat.slug for cheat in CHEATS.values()}) == len(CHEATS)
    assert {cheat.points for cheat in CHEATS.values() if cheat.state == "PASS"} == {5.0}


def test_an_edit_that_does_not_apply_is_told(tmp_path: Path) -> None:
    cheat = Cheat(name="x", state="FAIL", edits=(("no such text", ""),))
    with pytest.raises(ValueError, match="`no such text` is not in the solution"):
        write_cheat(cheat, tmp_path)
    assert not os.listdir(tmp_path)
