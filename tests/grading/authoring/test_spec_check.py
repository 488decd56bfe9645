from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.grading.authoring.private import private_copy
from tlcourse.grading.authoring.spec_check import Grader, Line, check_spec
from tlcourse.grading.hand_in import spawned
from tlcourse.grading.resident import Resident
from tlcourse.grading.spec import load

EXERCISE = "d1.name_that_pass"  # judging it runs no kernel, so it is quick


@pytest.fixture
def grader() -> Generator[Grader]:
    resident = Resident()
    yield Grader(resident=resident, runner=spawned)
    resident.stop()


def failed(lines: list[Line]) -> list[str]:
    return [line.what for line in lines if not line.ok]


def test_a_sound_exercise_passes_every_check(grader: Grader) -> None:
    lines = list(check_spec("d1.change_vadd", grader))
    assert failed(lines) == []
    seen = [line.what for line in lines]
    assert seen[:4] == ["spec", "solution", "untouched", "mutant zeros"]
    assert seen[-3:] == ["cycles", "seconds, public cases", "seconds, all cases"]


def test_what_is_wrong_is_named(
    grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {
        'said = "convert-to-hivm-op is not right"': 'said = "it says something else"',
        '["    return {", "    answers = {"]': '["no such text", ""]',
    }
    private_copy(EXERCISE, tmp_path, monkeypatch, changed)
    lines = list(check_spec(EXERCISE, grader))
    assert failed(lines) == ["mutant in_pipeline_order", "mutant one_name_eight_times"]
    said = {line.mutant: line.said for line in lines if not line.ok}
    assert "its report does not say 'it says something else'" in said["in_pipeline_order"]
    assert "`no such text` is not in the solution" in said["one_name_eight_times"]


def test_a_solution_that_is_wrong_and_mutants_that_are_right_fail(
    grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = 'sources = {solution = "def name_that_pass():\\n    return {}"}\n'
    private_copy(EXERCISE, tmp_path, monkeypatch, {"\n[[mutants]]": f"\n{wrong}\n[[mutants]]"})
    assert failed(list(check_spec(EXERCISE, grader)))[:1] == ["solution"]


def test_a_broken_spec_ends_the_check(
    grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "day1").mkdir()
    (tmp_path / "day1" / "name_that_pass.toml").write_text("points = 'many'", "utf-8")
    monkeypatch.setenv("TLCOURSE_PRIVATE", str(tmp_path))
    load.cache_clear()
    (line,) = check_spec(EXERCISE, grader)
    load.cache_clear()
    assert not line.ok
    assert "spec.points is of type int, not str" in line.said
