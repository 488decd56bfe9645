"""`tlcourse build`: what is made, when it is made again, and what `--check` sees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.build import notebooks
from tlcourse.build.course import build
from tlcourse.diagnostics import TLError

FILES = [
    "notebooks/day9/01_count.ipynb",
    "notebooks/zh/day9/01_count.ipynb",
    "exercises/day9/halve.ipynb",
    "exercises/zh/day9/halve.ipynb",
    "solutions/day9/halve.ipynb",
]


@pytest.fixture
def executions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which notebooks were run; they get counts instead of a kernel."""
    names: list[str] = []

    def executed(notebook: object, name: str) -> object:
        names.append(name)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for count, cell in enumerate(cells, 1):
            cell.execution_count = count
        return notebook

    monkeypatch.setattr(notebooks, "executed", executed)
    return names


@pytest.fixture
def built(small_course: Path, executions: list[str]) -> Path:
    """A checkout whose course files are all made."""
    build(False, small_course, told=lambda line: None)
    executions.clear()
    return small_course


def stale(root: Path) -> dict[str, str]:
    """What `--check` says: file to reason."""
    return dict(line.split(": ", 1) for line in build(True, root))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_everything_is_made_and_told(small_course: Path, executions: list[str]) -> None:
    lines: list[str] = []
    assert build(False, small_course, told=lines.append) == []
    assert lines == [f"[{n}/5] {name}" for n, name in enumerate(FILES, 1)]
    assert [path for path in FILES if not (small_course / path).is_file()] == []
    assert executions == ["01_count.ipynb"] * 2
    assert not list(small_course.rglob("*.tmp"))


def test_nothing_is_made_twice(built: Path, executions: list[str]) -> None:
    lines: list[str] = []
    build(False, built, told=lines.append)
    assert (lines, executions, stale(built)) == ([], [], {})


def test_all_are_made_again_when_asked(built: Path, executions: list[str]) -> None:
    before = {name: (built / name).read_bytes() for name in FILES}
    build(False, built, told=lambda line: None, again=True)
    assert executions == ["01_count.ipynb"] * 2
    assert {name: (built / name).read_bytes() for name in FILES} == before


def test_solution_stays_in_solutions_alone(built: Path) -> None:
    found = [name for name in FILES if "secret" in (built / name).read_text(encoding="utf-8")]
    assert found == ["solutions/day9/halve.ipynb"]


def test_before_the_first_build_all_is_missing(small_course: Path) -> None:
    assert stale(small_course) == dict.fromkeys(FILES, "missing; run tlcourse build")
    assert not (small_course / "notebooks").exists()


@pytest.mark.parametrize(
    ("source", "old", "files"),
    [("01_count.py", "1 + 2", FILES[:2]), ("exercises/halve.py", "half of x", FILES[2:])],
    ids=["lesson", "exercise"],
)
def test_an_edited_source_makes_its_notebooks_stale(
    source: str, old: str, files: list[str], built: Path, executions: list[str]
) -> None:
    change(built / "course/day9" / source, old, "2 + 1")
    assert stale(built) == dict.fromkeys(files, "not made from its source; run tlcourse build")
    lines: list[str] = []
    build(False, built, told=lines.append)
    assert lines == [f"[{n}/{len(files)}] {name}" for n, name in enumerate(files, 1)]
    assert stale(built) == {}


@pytest.mark.parametrize("name", FILES)
def test_an_edited_notebook_is_stale(name: str, built: Path) -> None:
    notebook = json.loads((built / name).read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] += "!"
    (built / name).write_text(json.dumps(notebook), encoding="utf-8")
    assert stale(built) == {name: "not made from its source; run tlcourse build"}


def test_a_lesson_that_was_not_run_is_stale(built: Path) -> None:
    path = built / FILES[0]
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][1]["execution_count"] = 7
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert stale(built) == {FILES[0]: "not run from top to bottom; run tlcourse build"}


def test_outputs_are_not_what_check_compares(built: Path) -> None:
    path = built / FILES[0]
    notebook = json.loads(path.read_text(encoding="utf-8"))
    output = {"name": "stdout", "output_type": "stream", "text": "another\n"}
    notebook["cells"][1]["outputs"] = [output]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert stale(built) == {}


@pytest.mark.parametrize("text", ["", "{}", "[]", "3", '{"cells": 3, "nbformat": 4}'])
def test_what_is_no_notebook_is_stale(text: str, built: Path) -> None:
    (built / FILES[0]).write_text(text, encoding="utf-8")
    assert stale(built) == {FILES[0]: "not a notebook; run tlcourse build"}
    build(False, built, told=lambda line: None)
    assert stale(built) == {}


def test_a_deleted_notebook_is_made_again(built: Path) -> None:
    (built / FILES[3]).unlink()
    assert stale(built) == {FILES[3]: "missing; run tlcourse build"}
    build(False, built, told=lambda line: None)
    assert stale(built) == {}


def test_a_superfluous_notebook_is_told_and_removed(built: Path) -> None:
    extra = built / "exercises/day9/gone.ipynb"
    extra.write_text("{}", encoding="utf-8")
    kept = built / "notebooks/day9/.ipynb_checkpoints/01_count-checkpoint.ipynb"
    kept.parent.mkdir()
    kept.write_text("{}", encoding="utf-8")
    assert list(stale(built)) == ["exercises/day9/gone.ipynb"]
    lines: list[str] = []
    build(False, built, told=lines.append)
    assert lines == ["removed exercises/day9/gone.ipynb: no source in course/ makes it"]
    assert not extra.exists()
    assert kept.exists()


def test_check_changes_nothing(built: Path, executions: list[str]) -> None:
    change(built / "course/day9/01_count.py", "1 + 2", "2 + 1")
    (built / FILES[3]).unlink()
    files = {path: path.read_bytes() for path in built.rglob("*") if path.is_file()}
    build(True, built)
    assert {path: path.read_bytes() for path in built.rglob("*") if path.is_file()} == files
    assert executions == []


@pytest.mark.slow
def test_a_lesson_that_fails_leaves_the_old_notebook(small_course: Path) -> None:
    build(False, small_course, told=lambda line: None)
    before = (small_course / FILES[0]).read_bytes()
    change(small_course / "course/day9/01_count.py", "1 + 2", "1 / 0")
    with pytest.raises(TLError) as caught:
        build(False, small_course, told=lambda line: None)
    assert caught.value.code == "TL803"
    assert (small_course / FILES[0]).read_bytes() == before
    assert not list(small_course.rglob("*.tmp"))


def test_a_folder_without_a_course_is_told(tmp_path: Path) -> None:
    with pytest.raises(TLError) as caught:
        build(True, tmp_path)
    assert caught.value.code == "TL804"


def test_a_broken_source_stops_the_build(built: Path, write_source: Callable[..., Path]) -> None:
    write_source("02_broken.py", "\n# %%\n1\n")
    with pytest.raises(TLError) as caught:
        build(False, built, told=lambda line: None)
    assert caught.value.code == "TL801"


def test_the_course_of_this_checkout_is_fresh() -> None:
    assert build(True) == []


@pytest.mark.slow
def test_a_small_course_is_run_for_good(small_course: Path) -> None:
    build(False, small_course, told=lambda line: None)
    notebook = json.loads((small_course / FILES[0]).read_text(encoding="utf-8"))
    assert notebook["cells"][1]["outputs"][0]["data"] == {"text/plain": "3"}
    assert build(True, small_course) == []
