import json
import zipfile
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading.class_folder import collect, grade, init, roster
from tlcourse.records import Verdict


def _notebook(exercise: str = "d2-minicv") -> str:
    nbgrader = [{"grade_id": f"{exercise}-solution"}, {"grade_id": exercise, "grade": True}]
    cells = [{"cell_type": "code", "source": "", "metadata": {"nbgrader": m}} for m in nbgrader]
    return json.dumps({"cells": cells})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "class"
    init(path)
    (path / "roster.csv").write_text("id,name\nana,Ana\nana2,Ana B\nbo,Bo\n", encoding="utf-8")
    return path


def _zip(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_init_refuses_a_folder_that_holds_something(folder: Path) -> None:
    for taken in (folder, folder / "roster.csv"):
        with pytest.raises(TLError) as caught:
            init(taken)
        assert caught.value.code == "TL620"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "there is no such file"),
        ("", "its first line names no column id and no column name"),
        ("name\nAna\n", "its first line names no column id"),
        ("id,name\nana\n", "line 2 has no name"),
        (b"\xff\xfe\x00", "it is not UTF-8 text"),
        ("id,name\n../bo,Bo\n", "'../bo' is no id: it cannot name a folder"),
        ("id,name\n.,Bo\n", "'.' is no id: it cannot name a folder"),
        ("id,name\n,Bo\n", "'' is no id: it cannot name a folder"),
        ("id,name\nbo,Bo\nbo,Bob\n", "the id bo stands twice"),
    ],
)
def test_unusable_roster(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes | None, why: str
) -> None:
    path = folder / "roster.csv"
    path.unlink()
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    with pytest.raises(TLError) as caught:
        roster(Path())
    assert caught.value.code == "TL621"
    assert caught.value.diagnostic.what == "class has no usable roster.csv"
    assert caught.value.diagnostic.why == why


def test_collect_finds_learner_and_exercise(folder: Path, tmp_path: Path) -> None:
    zips = [
        _zip(tmp_path / "ana2_week2.zip", {"My Folder\\renamed (1).ipynb": _notebook()}),
        _zip(
            tmp_path / "bo.zip", {"a.ipynb": _notebook(), "b.ipynb": _notebook(), "notes.txt": ""}
        ),
        _zip(tmp_path / "carol.zip", {"a.ipynb": _notebook()}),
    ]
    first, second, third = collect(folder, zips)
    assert (first.learner, first.taken, first.left_out) == ("ana2", ("d2.minicv",), ())
    assert (folder / "submitted" / "ana2" / "d2.minicv.ipynb").read_text() == _notebook()
    assert second.taken == ("d2.minicv",)
    assert [line.split(":")[0] for line in second.left_out] == ["b.ipynb", "notes.txt"]
    assert third.learner is None
    assert not list(folder.rglob("*.tmp"))


def test_collect_survives_bad_zips_and_paths(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "ana.zip"
    broken.write_bytes(b"PK no zip")
    escape = _zip(tmp_path / "bo.zip", {"../../evil.ipynb": _notebook(), "x.ipynb": "{}"})
    first, second = collect(folder, [broken, escape])
    assert "not a zip" in first.left_out[0]
    assert second.taken == ("d2.minicv",)
    assert not (tmp_path / "evil.ipynb").exists()
    assert len(second.left_out) == 1


def test_a_damaged_member_is_left_out(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bo.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ipynb", _notebook() + " " * 10_000)
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(data)
    (report,) = collect(folder, [path])
    assert report.taken == ()
    assert "not a zip that can be read" in report.left_out[0]


def test_a_notebook_is_kept_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bo.zip"
    data = _notebook().replace("}", "}\r\n").encode("utf-16")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.ipynb", data)
    assert collect(folder, [path])[0].taken == ("d2.minicv",)
    assert (folder / "submitted" / "bo" / "d2.minicv.ipynb").read_bytes() == data


@pytest.mark.parametrize("exercise", ["d2-nothing", "d2-/../../ana/x", "d9-minicv"])
def test_unknown_exercises_are_left_out(folder: Path, tmp_path: Path, exercise: str) -> None:
    (report,) = collect(folder, [_zip(tmp_path / "bo.zip", {"a.ipynb": _notebook(exercise)})])
    assert report.taken == ()
    assert len(report.left_out) == 1
    assert not list((folder / "submitted").rglob("*"))


def test_grade_writes_a_row_for_every_learner(folder: Path, tmp_path: Path) -> None:
    collect(folder, [_zip(tmp_path / "bo.zip", {"a.ipynb": _notebook()})])
    told: list[str] = []

    def judged(path: Path) -> Verdict:
        return Verdict(exercise=path.stem, state="PARTIAL", points=7.5, max_points=15.0, checks=())

    grade(folder, judged, lambda learner, verdict: told.append(f"{learner} {verdict.state}"))
    grades = (folder / "report" / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert grades == ["id,name,d2.minicv,total", "ana,Ana,,0", "ana2,Ana B,,0", "bo,Bo,7.5,7.5"]
    assert told == ["bo PARTIAL"]
    results = (folder / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(results[0])["verdict"]["points"] == 7.5
