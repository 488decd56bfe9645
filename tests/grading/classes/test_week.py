"""A week of a class from the roster to the archive, and the next year's class after it.

Five hundred learners, few different hand-ins: equal ones are graded once.
"""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tlcourse.cli import app
from tlcourse.grading import selftest
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.decisions import decisions
from tlcourse.grading.spec import load

ROOT = Path(__file__).parents[3]
EXERCISE = "d1.change_vadd"
PEOPLE = [f"s{number:03}" for number in range(500)]
MUTANTS = {
    row["name"]: row["edits"]
    for row in tomllib.loads((ROOT / "grader/mutants/day1/change_vadd.toml").read_text())["mutants"]
}
SPEC_FIX = "schema = 1\nversion = 2\npoints = 8\n"


def tlcourse(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def notebook(kind: str, exercise: str = "change_vadd") -> str:
    """The course's solution, its untouched exercise, a mutant, or what no grader can read."""
    if kind == "broken":
        return '{"cells": [' + "1," * 50
    source = "exercises" if kind == "untouched" else "solutions"
    data = json.loads((ROOT / source / "day1" / f"{exercise}.ipynb").read_text(encoding="utf-8"))
    for cell in data["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            text = "".join(cell["source"])
            for old, new in MUTANTS.get(kind, ()):
                assert old in text
                text = text.replace(old, new)
            cell["source"] = "import os; os._exit(0)" if kind == "crash" else text
    return json.dumps(data)


KINDS = ("solution", "zeros", "tail_missing", "no_store", "untouched", "crash")


def members() -> Iterator[tuple[str, str, str]]:
    """Zip, member and text of everybody's hand-in: Canvas, Moodle, and zips of one's own."""
    texts = {kind: notebook(kind) for kind in (*KINDS, "broken")}
    for number, who in enumerate(PEOPLE[:420]):
        text = texts[KINDS[number % len(KINDS)]]
        if number < 200:
            late = "LATE_" if number % 50 == 0 else ""
            yield "canvas", f"name{number}_{late}{7000 + number}_{number}_change_vadd.ipynb", text
        elif number < 400:
            yield "moodle", f"Name {number}_{number}_assignsubmission_file_/my notebook.ipynb", text
        else:
            yield f"{who}_week1", "folder/renamed.ipynb", text
    yield "canvas", "ghost_99999_1_change_vadd.ipynb", texts["solution"]
    yield "canvas", "name3_7003_9_essay.pdf", "no notebook"
    yield "moodle", "Name 201_201_assignsubmission_file_/again.ipynb", texts["zeros"]
    yield "moodle", "Name 401_401_assignsubmission_file_/x.ipynb", texts["broken"]
    yield "s499_week1", "where.ipynb", notebook("solution", "where_it_lands")


def zips(folder: Path) -> list[Path]:
    streams: dict[str, io.BytesIO] = {}
    for name, member, text in members():
        with zipfile.ZipFile(streams.setdefault(name, io.BytesIO()), "a") as archive:
            archive.writestr(zipfile.ZipInfo(member, (2026, 5, 1, 12, 0, 0)), text)
    for name, stream in streams.items():
        (folder / f"{name}.zip").write_bytes(stream.getvalue())
    return [folder / f"{name}.zip" for name in streams]


def grades(folder: Path) -> dict[str, str]:
    with (folder / "report" / "grades.csv").open(encoding="utf-8") as stream:
        return {row["id"]: row[EXERCISE] for row in csv.DictReader(stream)}


def killed_midway(folder: Path) -> int:
    """Starts grading, kills it when two results are there; how many it had."""
    command = [sys.executable, "-c", "from tlcourse.cli import main; main()", "grade", str(folder)]
    store = folder / "report" / "store.jsonl"
    process = subprocess.Popen(
        [*command, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if store.is_file() and store.read_bytes().count(b"\n") >= 2:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    process.wait()
    return store.read_bytes().count(b"\n")


def set_up(folder: Path, variants: Path) -> None:
    (variants / "day1").mkdir(parents=True)
    rows = [
        f"{who},Name {n},G{n % 20},{2 if n == 499 else ''},{'zh' if n == 2 else ''},{7000 + n}"
        for n, who in enumerate(PEOPLE)
    ]
    people = folder.parent / "people.csv"
    people.write_text("\n".join(["id,name,group,extra_time,language,lms", *rows]))
    made = tlcourse("class", "init", folder, "--variants", variants, "--roster", people)
    assert made.exit_code == 0, made.output
    settings = class_folder.settings(folder)
    # The one hand-in for it comes an hour late, from a learner with two hours more.
    settings.deadlines["d1.where_it_lands"] = "2026-05-01T11:00:00"
    class_folder.save(folder, settings)


def collect(folder: Path) -> None:
    collected = tlcourse("collect", *zips(folder.parent), "--into", folder)
    assert collected.exit_code == 1
    told = {"late": 4, "unknown learner": 1, "left out": 2, "double": 1}
    assert {name: collected.stdout.count(f"  {name}:") for name in told} == told


def grade_with_a_kill(folder: Path) -> dict[str, str]:
    rehearsed = tlcourse("grade", folder, "--selftest", "--limit", "3", "--jobs", "1")
    assert f"ok     solutions of {EXERCISE}: PASS 5/5" in rehearsed.stderr
    assert "FAILED" not in rehearsed.stderr
    assert "the other 418 hand-ins will take about" in rehearsed.stdout
    assert not (folder / "report" / "grades.csv").exists()
    assert killed_midway(folder) < len(KINDS)
    graded = tlcourse("grade", folder, "--jobs", "1")
    assert graded.exit_code == 0, graded.output
    found = grades(folder)
    assert len(found) == 500
    assert "部分正确" in (folder / "report" / "learners" / "s002.html").read_text(encoding="utf-8")
    assert (found["s000"], found["s001"], found["s006"], found["s499"]) == ("5", "0.5", "5", "")
    people = (folder / "report" / "needs_human.csv").read_text(encoding="utf-8")
    assert people.count("handed in late") == 4
    assert "s006,d1.change_vadd,s006/day1/change_vadd.ipynb,PASS,equals a published" in people
    items = (folder / "report" / "items.html").read_text(encoding="utf-8")
    assert "PASS 70, PARTIAL 70, FAIL 210, TODO 70" in items
    return found


def give_back(folder: Path) -> None:
    target = folder.parent / "back.zip"
    fed = tlcourse("feedback", folder, "--format", "moodle", "--out", target)
    assert "421 learners" in fed.stdout
    names = zipfile.ZipFile(target).namelist()
    assert "Name 250_250_assignsubmission_file_/feedback.html" in names


def regrade_one(folder: Path) -> None:
    before = (folder / "report" / "results.jsonl").read_bytes()
    only = ("--only", f"s001/{EXERCISE}", "--reason", "asked for it", "--jobs", "1")
    assert tlcourse("grade", folder, *only).exit_code == 0
    assert (folder / "report" / "results.jsonl").read_bytes() == before
    explained = tlcourse("explain", folder / "submitted" / "s001", EXERCISE)
    assert explained.exit_code == 0
    assert "the class's report says: FAIL 0.5" in explained.stdout


def fix_a_spec(folder: Path, variants: Path, found: dict[str, str]) -> None:
    (variants / "day1" / "change_vadd.toml").write_text(SPEC_FIX)
    refused = tlcourse("grade", folder)
    assert refused.exit_code == 1
    assert "TL636" in str(refused.exception)
    compared = tlcourse("grade", folder, "--compare", "--jobs", "1")
    assert "s000 d1.change_vadd: PASS 5 -> PASS 8" in compared.stdout
    assert grades(folder) == found
    why = "eight points were announced"
    assert tlcourse("grade", folder, "--adopt", "--reason", why, "--jobs", "1").exit_code == 0
    assert (grades(folder)["s000"], grades(folder)["s001"]) == ("8", "0.8")
    assert [d.what for d in decisions(folder)] == ["regrade", "adopt"]


def go_on_next_year(old: Path, new: Path, variants: Path) -> None:
    assert tlcourse("class", "archive", old).exit_code == 0
    with zipfile.ZipFile(old.with_suffix(".zip")) as archive:
        assert {"spring/secret", "spring/report/results.jsonl"} <= set(archive.namelist())
    (variants / "day1").mkdir(parents=True)
    (variants / "day1" / "change_vadd.toml").write_text(SPEC_FIX.replace("8", "9"))
    assert tlcourse("class", "init", new, "--from", old, "--variants", variants).exit_code == 0
    assert EXERCISE in class_folder.earlier(new)
    (new / "roster.csv").write_text("id,name\nzoe,Zoe\n")
    place = new / "submitted" / "zoe" / "day1"
    place.mkdir(parents=True)
    (place / "change_vadd.ipynb").write_text(notebook("solution"))
    assert tlcourse("grade", new, "--jobs", "1").exit_code == 0
    assert grades(new) == {"zoe": "9"}


@pytest.mark.slow
def test_a_week_and_the_next_year(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_PRIVATE", "")
    monkeypatch.setattr(selftest, "known_ids", lambda: [EXERCISE])  # all take minutes
    folder = tmp_path / "spring"
    set_up(folder, tmp_path / "variants")
    collect(folder)
    found = grade_with_a_kill(folder)
    give_back(folder)
    regrade_one(folder)
    fix_a_spec(folder, tmp_path / "variants", found)
    go_on_next_year(folder, tmp_path / "autumn", tmp_path / "others")
    class_folder.use_variants(folder, class_folder.Settings(grading_version=""))
    assert load(EXERCISE).points == 5
