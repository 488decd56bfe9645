"""`update` and `wheelhouse` at the level of arguments, questions and exit codes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes
from typer.testing import CliRunner

from tlcourse.build import wheelhouse
from tlcourse.build.house_list import HouseList
from tlcourse.build.workspace import make_workspace
from tlcourse.cli import app, main

LESSON = "notebooks/day1/00_start.ipynb"


def lesson(edition: int) -> str:
    stub = f"# your code here, {edition}"
    cells = [new_markdown_cell(f"edition {edition}", id="prose"), new_code_cell(stub, id="answer")]
    return writes(new_notebook(cells=cells))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working copy in the current folder, with an answer in it, and a newer wheel beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "course" / LESSON).parent.mkdir(parents=True)
    (tmp_path / "course" / LESSON).write_text(lesson(1))
    copy = tmp_path / "tlcourse-lab"
    make_workspace(copy, tmp_path / "course")
    notebook = json.loads((copy / LESSON).read_text())
    notebook["cells"][1]["source"] = "mine = 1"
    (copy / LESSON).write_text(json.dumps(notebook))
    with zipfile.ZipFile("tlcourse-9.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"tlcourse/course_files/{LESSON}", lesson(2))
    return copy


def update(*options: str, typed: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(
        app, ["update", "tlcourse-9.0-py3-none-any.whl", *options], input=typed
    )
    return done.exit_code, done.output


def test_dry_run_shows_cells_and_writes_nothing(lab: Path) -> None:
    before = (lab / LESSON).read_bytes()
    code, shown = update("--dry-run")
    assert code == 0
    assert "-> 9.0" in shown
    assert f"{LESSON}: changed; what you wrote stays" in shown
    assert "new text: prose" in shown
    assert "the course's text comes into a cell below: answer" in shown
    assert (lab / LESSON).read_bytes() == before


def test_a_no_writes_nothing(lab: Path) -> None:
    before = (lab / LESSON).read_bytes()
    code, shown = update(typed="n\n")
    assert (code, (lab / LESSON).read_bytes()) == (1, before)
    assert "Close these notebooks first" in shown


def test_a_yes_writes_and_says_what_is_next(lab: Path) -> None:
    code, shown = update(typed="y\n")
    assert code == 0
    assert "edition 2" in (lab / LESSON).read_text()
    assert "mine = 1" in (lab / LESSON).read_text()
    assert "old files are kept in" in shown
    assert "pip install --upgrade" in shown
    assert "nothing to do" in update()[1]


def test_an_older_wheel_is_warned_of(lab: Path) -> None:
    update("--yes")
    Path("tlcourse-9.0-py3-none-any.whl").rename("tlcourse-0.0.1-py3-none-any.whl")
    done = CliRunner().invoke(app, ["update", "tlcourse-0.0.1-py3-none-any.whl", "--dry-run"])
    assert "warning: 0.0.1 is older than what you have" in done.output


def test_update_without_a_working_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["tlcourse", "update"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "TL806" in capsys.readouterr().err


def test_wheelhouse_passes_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[object] = []

    def make(folder: Path, extras: tuple[str, ...], **rest: object) -> HouseList:
        seen.extend((folder, extras, rest["wheel"], rest["torch_index"]))
        return HouseList(files={"a.whl": {"bytes": 2_000_000}}, runs={"x": {"files": ["a.whl"]}})

    monkeypatch.setattr(wheelhouse, "make_wheelhouse", make)
    options = ["--extras", "notebooks, class", "--torch-index", "https://x.invalid"]
    done = CliRunner().invoke(app, ["wheelhouse", str(tmp_path), *options])
    assert done.exit_code == 0
    assert seen == [tmp_path, ("notebooks", "class"), None, "https://x.invalid"]
    assert "1 wheels, 2 MB" in done.output


def test_wheelhouse_into_a_folder_that_is_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "house").write_text("")
    monkeypatch.setattr("sys.argv", ["tlcourse", "wheelhouse", str(tmp_path / "house")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "TL718" in capsys.readouterr().err
