"""Every exercise: its solution earns all points, untouched it is TODO, each mutant is named.

The mutants of an exercise stand in grader/mutants, as edits of its solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.mutants import Mutant, read_mutants
from tlcourse.grading.hand_in import graded
from tlcourse.grading.protection import parent_here, protection_of, runner_of
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import known_ids, load
from tlcourse.records import Verdict

ROOT = Path(__file__).parents[2]
MUTANTS = [(name, mutant) for name in known_ids() for mutant in read_mutants(name).mutants]


@pytest.fixture(scope="module")
def grade() -> Iterator[Callable[[Path], Verdict]]:
    """Grades a notebook, forked from a warm parent where the system forks."""
    parent = parent_here()
    runner = runner_of(parent, protection_of(parent))
    yield lambda path: graded(path, runner=runner).verdict
    if parent is not None:
        parent.stop()


def write(exercise: str, mutant: Mutant, folder: Path) -> Path:
    """The solution notebook with the mutant's edits; each edit must apply."""
    notebook = mutants.solution_of(exercise)
    sources = read_mutants(exercise).sources
    text = mutants.edited(mutant, sources, mutants.solution_source(notebook))
    return mutants.write_with(notebook, text, folder / f"{mutant.name}.ipynb")


@pytest.mark.parametrize(
    ("exercise", "mutant"), MUTANTS, ids=[f"{name}-{mutant.name}" for name, mutant in MUTANTS]
)
def test_each_mutant_is_named(
    exercise: str, mutant: Mutant, tmp_path: Path, grade: Callable[[Path], Verdict]
) -> None:
    verdict = grade(write(exercise, mutant, tmp_path))
    assert (verdict.state, mutant.said in as_text(verdict)) == (mutant.state, True)
    assert verdict.points < verdict.max_points


@pytest.mark.parametrize("exercise", known_ids())
def test_solution_earns_all_and_untouched_is_todo(
    exercise: str, grade: Callable[[Path], Verdict]
) -> None:
    name = mutants.place(exercise).with_suffix(".ipynb")
    solved = grade(ROOT / "solutions" / name)
    is_written = load(exercise).kind == "written"
    wanted = ("TODO", 0.0) if is_written else ("PASS", float(load(exercise).points))
    assert (solved.state, solved.points) == wanted
    assert bool(solved.sealed_sha256)
    untouched = grade(ROOT / "exercises" / name)
    assert not untouched.sealed_sha256
    assert (untouched.state, untouched.points) == ("TODO", 0.0)


@pytest.mark.parametrize("exercise", known_ids())
def test_mutants_of_the_spec_are_those_that_are_graded(exercise: str) -> None:
    found = tuple(mutant.name for mutant in read_mutants(exercise).mutants)
    assert bool(found) == (load(exercise).kind != "written")
    assert found == load(exercise).mutants


def test_an_edit_that_does_not_apply_is_an_error() -> None:
    stale = Mutant(name="stale", state="FAIL", said="", edits=(("no such text", ""),))
    with pytest.raises(ValueError, match="`no such text` is not in the solution"):
        mutants.edited(stale, {}, "text")


def test_a_source_that_is_not_there_is_an_error() -> None:
    lost = Mutant(name="lost", state="FAIL", said="", edits=(), source="elsewhere")
    with pytest.raises(ValueError, match="there is no source elsewhere"):
        mutants.edited(lost, {}, "text")


def test_a_private_file_takes_the_place_of_the_public_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "day2").mkdir()
    private = tmp_path / "day2" / "gemm.mutants.toml"
    private.write_text('sources = {solution = "x"}\n', encoding="utf-8")
    monkeypatch.setenv("TLCOURSE_PRIVATE", str(tmp_path))
    assert read_mutants("d2.gemm").sources == {"solution": "x"}
    private.write_text('mutants = [{name="a", state="FAIL", said="", edits=[["x"]]}]', "utf-8")
    with pytest.raises(ValueError, match="an edit of a is no pair of texts"):
        read_mutants("d2.gemm")
