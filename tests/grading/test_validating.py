from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.grading.hand_ins import ROOT, SOLUTION, UNTOUCHED
from tlcourse.diagnostics import TLError
from tlcourse.grading.notebook_file import read_hand_in
from tlcourse.grading.validating import repair, validate


def changed(
    path: Path, change: Callable[[dict[str, Any]], object], source: Path = SOLUTION
) -> Path:
    notebook = json.loads(source.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def cell(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in notebook["cells"] if one["id"] == name)


def drop(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda notebook: notebook["cells"].remove(cell(notebook, name))


def double(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda notebook: notebook["cells"].append(dict(cell(notebook, name)))


def write(name: str, text: str) -> Callable[[dict[str, Any]], object]:
    return lambda notebook: cell(notebook, name).update(source=text)


ODD = {
    "a whole notebook": (lambda notebook: None, ()),
    "a lost cell": (drop("imports"), ("these cells are missing: imports",)),
    "a double cell": (double("spec"), ("these cells are there more than once: spec",)),
    "two solutions": (
        double("solution"),
        (
            "these cells are there more than once: solution",
            "2 solution cells; the last definition counts",
        ),
    ),
    "a changed setup": (
        write("imports", "import os"),
        ("these cells were changed, which changes nothing: imports",),
    ),
    "a changed check": (
        write("check", "print('PASS')"),
        ("these cells were changed, which changes nothing: check",),
    ),
    "another version": (
        lambda notebook: notebook["metadata"]["tlcourse"].update(source_sha256="0"),
        ("the notebook is of another version of the course than this program",),
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_told(tmp_path: Path, name: str) -> None:
    change, notes = ODD[name]
    seen = validate(changed(tmp_path / "x.ipynb", change))
    assert (seen.exercise, seen.notes) == ("d2.minicv", notes)


def test_an_untouched_notebook_is_known(tmp_path: Path) -> None:
    for source in (UNTOUCHED, ROOT / "exercises" / "zh" / "day2" / "minicv.ipynb"):
        path = changed(tmp_path / "x.ipynb", lambda notebook: None, source)
        assert validate(path).notes == ("nothing is written into the solution cell yet",)


def test_a_repaired_copy_has_every_cell_and_the_solution(tmp_path: Path) -> None:
    def spoil(notebook: dict[str, Any]) -> None:
        for step in (drop("imports"), double("spec"), write("check", "")):
            step(notebook)

    path = changed(tmp_path / "x.ipynb", spoil)
    before = path.read_bytes()
    mended = repair(path)
    assert path.read_bytes() == before
    assert validate(mended).notes == ()
    assert read_hand_in(mended) == read_hand_in(path)


def test_an_exercise_that_is_not_here_cannot_be_repaired(tmp_path: Path) -> None:
    def rename(notebook: dict[str, Any]) -> None:
        for one in notebook["cells"]:
            about = one["metadata"].get("nbgrader", {})
            if "grade_id" in about:
                about["grade_id"] = about["grade_id"].replace("minicv", "elsewhere")

    path = changed(tmp_path / "x.ipynb", rename)
    assert validate(path).notes == ()
    with pytest.raises(TLError) as caught:
        repair(path)
    assert caught.value.diagnostic.code == "TL612"


def test_nothing_outside_the_solution_changes_what_runs(tmp_path: Path) -> None:
    path = changed(tmp_path / "x.ipynb", write("imports", "raise SystemExit"))
    assert read_hand_in(path) == read_hand_in(SOLUTION)
