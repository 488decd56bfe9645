"""The learner's working copy: what is written, kept, folded and trusted."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tlcourse.build import workspace
from tlcourse.build.issued import read_issued
from tlcourse.build.workspace import course_folder, make_workspace
from tlcourse.diagnostics import TLError

NOTEBOOK = "notebooks/day1/00_start.ipynb"
EXERCISE = "exercises/day1/vadd.ipynb"


def write_course(folder: Path, code: str = "1 + 1") -> Path:
    """A course of one lesson, whose second cell is a reveal, and one exercise."""
    shown = [new_output("execute_result", data={"text/plain": "2"}, execution_count=1)]
    lesson = new_notebook(
        cells=[
            new_code_cell(code, id="a"),
            new_code_cell("1 + 1", id="b", metadata={"tags": ["reveal"]}, outputs=shown),
        ]
    )
    for name, notebook in ((NOTEBOOK, lesson), (EXERCISE, new_notebook())):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / name)
    return folder


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_course(tmp_path / "course")


@pytest.fixture
def trust(tmp_path: Path) -> Path:
    return tmp_path / "trust"


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_first_copy_writes_everything(course: Path, tmp_path: Path, trust: Path) -> None:
    report = make_workspace(tmp_path / "lab", course, trust)
    assert report.written == (EXERCISE, NOTEBOOK)
    assert report.kept == ()


def test_second_copy_writes_nothing(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    report = make_workspace(tmp_path / "lab", course, trust)
    assert (report.written, report.kept) == ((), ())


def test_a_changed_file_is_never_overwritten(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    mine = tmp_path / "lab" / EXERCISE
    mine.write_text("my work")
    write_course(course, code="2 + 2")
    report = make_workspace(tmp_path / "lab", course, trust)
    assert (report.kept, report.newer) == ((EXERCISE,), ())
    assert mine.read_text() == "my work"


def test_newer_text_for_a_changed_file_is_told(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    (tmp_path / "lab" / NOTEBOOK).write_text("my work")
    write_course(course, code="2 + 2")
    report = make_workspace(tmp_path / "lab", course, trust)
    assert (report.kept, report.newer) == ((NOTEBOOK,), (NOTEBOOK,))


def test_what_was_given_is_noted_cell_by_cell(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    given = read_issued(tmp_path / "lab")
    assert given.version == version("tlcourse")
    assert [*given.cells[NOTEBOOK]] == ["a", "b"]
    assert given.cells[NOTEBOOK]["a"] == given.cells[NOTEBOOK]["b"]  # the same text


def test_an_unchanged_file_follows_the_course(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    write_course(course, code="2 + 2")
    assert make_workspace(tmp_path / "lab", course, trust).written == (NOTEBOOK,)
    assert cells(tmp_path / "lab" / NOTEBOOK)[0]["source"] == ["2 + 2"]


def test_a_file_that_was_there_before_is_kept(course: Path, tmp_path: Path, trust: Path) -> None:
    mine = tmp_path / "lab" / EXERCISE
    mine.parent.mkdir(parents=True)
    mine.write_text("my work")
    assert make_workspace(tmp_path / "lab", course, trust).kept == (EXERCISE,)
    assert mine.read_text() == "my work"


def test_a_deleted_file_comes_back(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    (tmp_path / "lab" / EXERCISE).unlink()
    assert make_workspace(tmp_path / "lab", course, trust).written == (EXERCISE,)


def test_outputs_of_reveal_cells_are_left_out(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    _, reveal = cells(tmp_path / "lab" / NOTEBOOK)
    assert (reveal["outputs"], reveal["execution_count"]) == ([], None)


def test_notebooks_are_trusted(course: Path, tmp_path: Path, trust: Path) -> None:
    make_workspace(tmp_path / "lab", course, trust)
    notary = NotebookNotary(data_dir=str(trust))
    copy = nbformat.read(tmp_path / "lab" / NOTEBOOK, as_version=4)
    original = nbformat.read(course / NOTEBOOK, as_version=4)
    assert notary.check_signature(copy)
    assert not notary.check_signature(original)
    notary.store.close()


def test_hidden_files_stay_behind(course: Path, tmp_path: Path, trust: Path) -> None:
    hidden = course / "notebooks" / "day1" / ".ipynb_checkpoints" / "x.ipynb"
    hidden.parent.mkdir()
    hidden.write_text("{}")
    assert make_workspace(tmp_path / "lab", course, trust).written == (EXERCISE, NOTEBOOK)


def test_no_course_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "__file__", str(tmp_path / "a" / "b" / "workspace.py"))
    with pytest.raises(TLError) as caught:
        course_folder()
    assert caught.value.code == "TL707"


def test_a_checkout_comes_before_package_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "repository" / "tlcourse"
    monkeypatch.setattr(workspace, "__file__", str(package / "build" / "workspace.py"))
    write_course(package / "course_files")
    assert course_folder() == package / "course_files"
    write_course(tmp_path / "repository")
    assert course_folder() == tmp_path / "repository"
