"""The commands of those who grade, on whole hand-ins."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.grading.hand_ins import EXPERT, MUTANTS, SOLUTION, UNTOUCHED, mutated, write
from tlcourse.cli import app

NO_EXP = mutated(next(mutant for mutant in MUTANTS if mutant.name == "no_exp"))


def tlcourse(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_one_bad_notebook_does_not_stop_the_next(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "1.ipynb", "while True: pass"),
        write(tmp_path / "2.ipynb", "os._exit(0)"),
        tmp_path / "3.ipynb",
        UNTOUCHED,
        SOLUTION,
    ]
    paths[2].write_text("no notebook", encoding="utf-8")
    done = tlcourse("grade", "--json", "--seconds", "6", *paths)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [v["state"] for v in verdicts] == ["TIMEOUT", "FAIL", "FAIL", "TODO", "PASS"]
    assert [v["points"] for v in verdicts] == [0.0, 0.0, 0.0, 0.0, 15.0]
    assert done.exit_code == 1


def test_a_right_notebook_ends_with_0_and_says_so() -> None:
    done = tlcourse("grade", SOLUTION)
    assert done.exit_code == 0
    assert done.stdout.startswith("✓ d2.minicv PASS 15/15 (Developer)\nRight: all checks pass.\n")


def test_an_untouched_notebook_shows_no_traceback() -> None:
    done = tlcourse("grade", UNTOUCHED)
    assert done.exit_code == 1
    assert done.stdout.startswith("· d2.minicv TODO 0/15\nNot started")
    assert "Traceback" not in done.output
    assert "NotImplementedError" not in done.output


@pytest.mark.slow
def test_the_same_hand_in_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [write(tmp_path / "1.ipynb", NO_EXP), write(tmp_path / "2.ipynb", EXPERT)]
    command = [sys.executable, "-c", "from tlcourse.cli import main; main()", "grade", "--json"]
    shown = [
        subprocess.run(
            [*command, *map(str, paths)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("1", "2")
    ]
    assert shown[0] == shown[1]
    assert shown[0].count(b"tlcourse.Verdict/1") == 2


@pytest.mark.parametrize("arguments", [["grade"], ["grade", "none.ipynb"], ["collect", "x.zip"]])
def test_misuse_ends_with_2(arguments: list[str]) -> None:
    assert tlcourse(*arguments).exit_code == 2


def test_a_folder_is_no_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tlcourse("class", "init", tmp_path / "class").exit_code == 0
    monkeypatch.chdir(tmp_path)
    done = tlcourse("collect", ".", "--into", "class")
    assert done.exit_code == 2
    assert ". is a folder; name the zips: *.zip" in done.output


def test_a_class_without_hand_ins_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    tlcourse("class", "init", folder)
    (folder / "roster.csv").write_text("id,name\nana,Ana\n", encoding="utf-8")
    done = tlcourse("grade", folder)
    assert done.exit_code == 0
    assert "1 learners, no hand-in yet; take zips in with `tlcourse collect" in done.output
    assert (folder / "report" / "grades.csv").read_text() == "id,name,total\nana,Ana,0\n"


def test_a_folder_without_notebooks_says_so(tmp_path: Path) -> None:
    done = tlcourse("grade", tmp_path)
    assert done.exit_code == 1
    assert "there is no notebook to grade" in done.output


def test_what_is_no_notebook_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("no notebook", encoding="utf-8")
    shown = tlcourse("grade", path).stdout
    assert shown.count("TL610") == 1
    assert shown.count("save the notebook in JupyterLab") == 1


def test_copies_in_hidden_folders_are_left_out(tmp_path: Path) -> None:
    hidden = tmp_path / ".ipynb_checkpoints"
    hidden.mkdir()
    write(hidden / "x.ipynb", EXPERT)
    write(tmp_path / "y.ipynb", EXPERT)
    done = tlcourse("validate", tmp_path)
    assert done.stdout == "y.ipynb: d2.minicv, can be graded\n"


def test_validate_names_what_cannot_be_graded(tmp_path: Path) -> None:
    done = tlcourse("validate", write(tmp_path / "x.ipynb"))
    assert done.exit_code == 1
    assert "TL611" in done.stdout
    assert "has no solution cell" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "ana", "--reason", "x"],
        ["--compare"],
        ["--adopt", "--reason", "x"],
        ["--limit", "2"],
        ["--jobs", "0"],
    ],
)
def test_options_of_classes_and_reports_need_one(arguments: list[str]) -> None:
    assert tlcourse("grade", UNTOUCHED, *arguments).exit_code == 2


def test_a_report_is_written_and_gone_on_with(tmp_path: Path) -> None:
    folder, report = tmp_path / "all", tmp_path / "report"
    (folder / "bo").mkdir(parents=True)
    write(folder / "ana.ipynb", EXPERT)
    write(folder / "bo" / "x.ipynb", "1 / 0")
    write(folder / "cai.ipynb", EXPERT)
    (folder / "dan.ipynb").write_text("no notebook", encoding="utf-8")
    (folder / "eve.zip").write_bytes(b"no zip")
    done = tlcourse("grade", folder, "--report", report, "--jobs", "1")
    assert done.exit_code == 0
    rows = list(csv.reader((report / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["id", "name", "d2.minicv", "total"]
    assert {row[0]: row[2] for row in rows[1:]} == {
        "ana": "15",
        "bo": "0",
        "cai": "15",
        "dan": "",
        "eve": "",
    }
    people = list(csv.DictReader((report / "needs_human.csv").read_text().splitlines()))
    assert [(row["id"], row["why"][:27]) for row in people] == [
        ("dan", "cannot be read: TL610: dan."),
        ("eve", "cannot be read: TL632: eve."),
    ]
    assert len((report / "store.jsonl").read_text().splitlines()) == 2
    before = {path.name: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    tlcourse("grade", folder, "--report", report)
    assert before == {path.name: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    assert {"index.html", "items.html", "similarity.html", "junit.xml"} <= before.keys()


@pytest.mark.slow
def test_a_class_from_zips_to_grades(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    assert tlcourse("class", "init", folder).exit_code == 0
    (folder / "roster.csv").write_text("id,name\nana,Ana\nbo,Bo\ncai,Cai\n", encoding="utf-8")
    hand_ins = {"ana": SOLUTION.read_text(encoding="utf-8"), "cai": UNTOUCHED.read_text()}
    hand_ins["bo"] = write(tmp_path / "bo.ipynb", NO_EXP).read_text(encoding="utf-8")
    zips = [_zip(tmp_path / f"{name}_day2.zip", text) for name, text in hand_ins.items()]

    collected = tlcourse("collect", *zips, "--into", folder)
    assert collected.exit_code == 0
    assert "ana_day2.zip: 1 notebooks of 1 learners\n  ana: d2.minicv\n" in collected.stdout

    graded = tlcourse("grade", folder)
    assert graded.exit_code == 0
    grades = (folder / "report" / "grades.csv").read_text(encoding="utf-8")
    assert list(csv.reader(grades.splitlines())) == [
        ["id", "name", "d2.minicv", "total"],
        ["ana", "Ana", "15", "15"],
        ["bo", "Bo", "1.5", "1.5"],
        ["cai", "Cai", "0", "0"],
    ]
    lines = (folder / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    states = [json.loads(line)["verdict"]["state"] for line in lines]
    assert states == ["PASS", "FAIL", "TODO"]


def _zip(path: Path, notebook: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("exercises\\minicv.ipynb", notebook)
    return path
