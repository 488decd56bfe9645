"""The commands of a class, and what they say where something is missing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.grading.classes.class_files import make_class, make_zip, notebook
from tests.grading.hand_ins import EXPERT, SOLUTION, UNTOUCHED, write
from tlcourse.cli import app
from tlcourse.diagnostics import TLError


def tlcourse(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def code_of(result: Result) -> str:
    assert isinstance(result.exception, TLError), result.output
    return result.exception.code


def test_handin_packs_what_collect_takes(tmp_path: Path) -> None:
    target = tmp_path / "upload.zip"
    place = tmp_path / "mine"
    place.mkdir()
    write(place / "renamed.ipynb", EXPERT)
    done = tlcourse("handin", place, "--id", "bo", "--out", target)
    assert done.exit_code == 0, done.output
    assert "d2.minicv: PASS 15/15" in done.stdout
    receipt = json.loads(zipfile.ZipFile(target).read("receipt.json"))
    assert (receipt["id"], receipt["todo"]) == ("bo", [])
    assert receipt["files"][0]["file"] == "day2/minicv.ipynb"
    folder = make_class(tmp_path / "class")
    assert tlcourse("collect", target, "--into", folder).exit_code == 0
    assert (folder / "submitted/bo/day2/minicv.ipynb").read_bytes() == (
        place / "renamed.ipynb"
    ).read_bytes()
    explained = tlcourse("explain", folder / "submitted" / "bo", "d2.minicv")
    assert explained.exit_code == 0
    assert "the class's report says: nothing yet" in explained.stdout
    assert "the learner's receipt says: PASS 15.0/15.0" in explained.stdout


@pytest.mark.parametrize("count", [0, 2])
def test_handin_wants_one_notebook_an_exercise(tmp_path: Path, count: int) -> None:
    for index in range(count):
        (tmp_path / f"{index}.ipynb").write_text(notebook())
    done = tlcourse("handin", tmp_path, "--id", "bo", "--out", tmp_path / "x.zip")
    assert code_of(done) == "TL635"
    assert not (tmp_path / "x.zip").exists()


def test_handin_makes_no_zip_of_what_cannot_be_graded(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("no notebook")
    done = tlcourse("handin", tmp_path, "--id", "bo", "--out", tmp_path / "x.zip")
    assert code_of(done) == "TL610"
    assert not (tmp_path / "x.zip").exists()


def test_feedback_needs_a_report(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    assert code_of(tlcourse("feedback", folder)) == "TL637"


def test_feedback_for_canvas_starts_as_the_hand_in_did(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    member = "limaana_4711_880_my_softmax.ipynb"
    tlcourse("collect", make_zip(tmp_path / "c.zip", {member: notebook()}), "--into", folder)
    pages = folder / "report" / "learners"
    pages.mkdir(parents=True)
    for who in ("ana", "bo"):
        (pages / f"{who}.html").write_text(who)
    assert tlcourse("feedback", folder, "--format", "canvas").exit_code == 0
    names = zipfile.ZipFile(folder / "feedback-canvas.zip").namelist()
    assert names == ["limaana_4711_880_my_softmax.html", "bo/feedback.html"]


def test_an_archive_lies_outside_and_is_the_same_each_time(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    assert code_of(tlcourse("class", "archive", folder, "--out", folder / "x.zip")) == "TL638"
    assert tlcourse("class", "archive", folder, "--out", tmp_path / "x.zip").exit_code == 0
    first = (tmp_path / "x.zip").read_bytes()
    tlcourse("class", "archive", folder, "--out", tmp_path / "x.zip")
    assert (tmp_path / "x.zip").read_bytes() == first
    assert code_of(tlcourse("class", "archive", tmp_path)) == "TL623"


def test_explain_names_what_is_missing(tmp_path: Path) -> None:
    assert code_of(tlcourse("explain", SOLUTION, "d2.gemm")) == "TL639"
    assert tlcourse("explain", tmp_path / "none", "d2.gemm").exit_code == 2


def test_explain_outside_a_class(tmp_path: Path) -> None:
    done = tlcourse("explain", UNTOUCHED, "d2.minicv")
    assert done.exit_code == 0
    assert "TODO" in done.stdout


def test_an_only_without_a_reason_is_misuse(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    assert tlcourse("grade", folder, "--only", "ana").exit_code == 2
    assert tlcourse("grade", folder, "--report", tmp_path / "x").exit_code == 2


@pytest.mark.parametrize("wanted", ["nobody", "ana/d9.none", "nobody/d2.gemm", "d2.none"])
def test_only_names_somebody_or_something(tmp_path: Path, wanted: str) -> None:
    folder = make_class(tmp_path / "class")
    before = (folder / "decisions.csv").read_bytes()
    assert tlcourse("grade", folder, "--only", wanted, "--reason", "x").exit_code == 2
    assert (folder / "decisions.csv").read_bytes() == before


def test_hand_ins_of_nobody_on_the_roster_are_told(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    place = folder / "submitted" / "ghost" / "day2"
    place.mkdir(parents=True)
    (place / "minicv.ipynb").write_text(notebook())
    done = tlcourse("grade", folder)
    assert done.exit_code == 0
    assert "not graded: ghost is not on the roster" in done.output
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "not on the roster: ghost" in page


def test_no_cluster_is_named(tmp_path: Path) -> None:
    arguments = ("grade", UNTOUCHED, "--report", tmp_path, "--dask", "tcp://127.0.0.1:9")
    assert code_of(tlcourse(*arguments)) == "TL633"
