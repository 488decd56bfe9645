import json
import zipfile
from pathlib import Path

import pytest

from tests.grading.classes.class_files import make_class, make_zip, notebook
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.collecting import Lateness, collect, collected
from tlcourse.grading.classes.decisions import decisions, write_down
from tlcourse.grading.classes.roster import roster

MINICV = "submitted/{}/day2/minicv.ipynb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_class(tmp_path / "class")


def test_each_system_names_its_learners(folder: Path, tmp_path: Path) -> None:
    canvas = {
        "limaana_4711_880_softmax.ipynb": notebook("d2-softmax"),
        "nobody_1_881_softmax.ipynb": notebook("d2-softmax"),
        "gronbo_LATE_99_882_gemm-1.ipynb": notebook("d2-gemm"),
    }
    moodle = {
        "Bo Grön_123_assignsubmission_file_/x.ipynb": notebook(),
        "Who Ever_124_assignsubmission_file_/x.ipynb": notebook(),
        "Ana B_125_assignsubmission_file_minicv.ipynb": notebook(),
    }
    first, second = collect(
        folder, [make_zip(tmp_path / "c.zip", canvas), make_zip(tmp_path / "m.zip", moodle)]
    )
    taken = [
        (t.learner, t.exercise, t.system, t.marked_late) for t in (*first.taken, *second.taken)
    ]
    assert taken == [
        ("ana", "d2.softmax", "canvas", False),
        ("bo", "d2.gemm", "canvas", True),
        ("bo", "d2.minicv", "moodle", False),
        ("ana2", "d2.minicv", "moodle", False),
    ]
    assert len(first.unknown) == len(second.unknown) == 1
    assert first.late == ["gemm-1.ipynb: d2.gemm of bo, 2026-05-01T12:00:00"]
    assert [t.owner for t in second.taken] == [
        "Bo Grön_123_assignsubmission_file_",
        "Ana B_125_assignsubmission_file_minicv.ipynb",
    ]


def test_zips_of_learners_and_a_zip_of_zips(folder: Path, tmp_path: Path) -> None:
    inner = make_zip(tmp_path / "inner.zip", {"My Folder\\renamed (1).ipynb": notebook()})
    receipt = json.dumps({"id": "bo", "files": []})
    zips = [
        make_zip(tmp_path / "ana2_week2.zip", {"a/b.ipynb": notebook()}),
        make_zip(tmp_path / "upload.zip", {"b.ipynb": notebook(), "receipt.json": receipt}),
        make_zip(
            tmp_path / "m.zip",
            {"Ana Lima_7_assignsubmission_file_/ana.zip": inner.read_bytes()},
        ),
    ]
    reports = collect(folder, zips)
    assert [t.learner for r in reports for t in r.taken] == ["ana2", "bo", "ana"]
    assert (folder / MINICV.format("ana")).read_text() == notebook()
    assert json.loads((folder / "receipts/bo/d2.minicv.json").read_text())["id"] == "bo"
    assert not list(folder.rglob("*.tmp"))


def test_a_later_hand_in_counts_and_the_earlier_one_is_kept(folder: Path, tmp_path: Path) -> None:
    old, new = notebook(source="old"), notebook(source="new")
    for when, text in (((2026, 5, 2, 0, 0, 0), new), ((2026, 5, 1, 0, 0, 0), old)):
        (report,) = collect(folder, [make_zip(tmp_path / "bo.zip", {"a.ipynb": text}, when)])
    assert (folder / MINICV.format("bo")).read_text() == new
    assert "the one of 2026-05-02T00:00:00 counts" in report.double[0]
    (aside,) = (folder / "replaced" / "bo").iterdir()
    assert aside.read_text() == old
    newest = notebook(source="newest")
    collect(folder, [make_zip(tmp_path / "bo.zip", {"a.ipynb": newest}, (2026, 5, 3, 0, 0, 0))])
    assert (folder / MINICV.format("bo")).read_text() == newest
    assert len(list((folder / "replaced" / "bo").iterdir())) == 2
    assert len(list((folder / "inbox").iterdir())) == 3


def test_the_same_zip_once_more_changes_nothing(folder: Path, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "bo.zip", {"a.ipynb": notebook()})
    for _ in range(2):
        (report,) = collect(folder, [path])
        assert [t.exercise for t in report.taken] == ["d2.minicv"]
        assert not report.double
    assert len(collected(folder)) == len(list((folder / "inbox").iterdir())) == 1


def test_a_damaged_line_of_the_record_is_left_out(folder: Path, tmp_path: Path) -> None:
    collect(folder, [make_zip(tmp_path / "bo.zip", {"a.ipynb": notebook()})])
    (record,) = folder.glob("collected*.jsonl")
    record.write_bytes(b"\xff\xfe half a line\n" + record.read_bytes())
    assert [one.exercise for one in collected(folder)] == ["d2.minicv"]


def test_of_two_in_one_zip_the_first_counts(folder: Path, tmp_path: Path) -> None:
    files = {"a.ipynb": notebook(source="a"), "b.ipynb": notebook(source="b"), "notes.txt": ""}
    (report,) = collect(folder, [make_zip(tmp_path / "bo.zip", files)])
    assert (folder / MINICV.format("bo")).read_text() == notebook(source="a")
    assert [line.split(":")[0] for line in report.double] == ["b.ipynb"]
    assert report.left_out == ["notes.txt: not a notebook"]


def test_lateness_knows_extra_time_and_extensions(folder: Path, tmp_path: Path) -> None:
    settings = class_folder.settings(folder)
    settings.deadlines["day2"] = "2026-05-01T00:00:00"
    class_folder.save(folder, settings)
    write_down(folder, "extension", "bo/d2.minicv", "ill", new="2026-05-02T00:00:00")
    zips = [
        make_zip(tmp_path / f"{who}.zip", {"a.ipynb": notebook(), "b.ipynb": notebook("d2-gemm")})
        for who in ("ana", "ana2", "bo")
    ]
    late = [[line.split()[1] for line in r.late] for r in collect(folder, zips)]
    assert late == [["d2.minicv", "d2.gemm"], [], ["d2.gemm"]]


def test_an_extension_holds_for_what_was_taken_before(folder: Path, tmp_path: Path) -> None:
    collect(folder, [make_zip(tmp_path / "x.zip", {"limaana_LATE_4711_1_a.ipynb": notebook()})])
    (taken,), (learner, *_) = collected(folder), roster(folder)
    settings = class_folder.settings(folder)
    assert Lateness(settings, decisions(folder)).is_late(learner, taken)
    write_down(folder, "extension", "ana", "the server was down", new="2026-05-02T00:00:00")
    assert not Lateness(settings, decisions(folder)).is_late(learner, taken)


def test_bad_zips_and_paths_are_survived(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "ana.zip"
    broken.write_bytes(b"PK no zip")
    escape = make_zip(tmp_path / "bo.zip", {"../../evil.ipynb": notebook(), "x.ipynb": "{}"})
    first, second = collect(folder, [broken, escape])
    assert "not a zip" in first.left_out[0]
    assert [t.exercise for t in second.taken] == ["d2.minicv"]
    assert not (tmp_path / "evil.ipynb").exists()
    assert len(second.left_out) == 1
    assert len(list((folder / "inbox").iterdir())) == 2


def test_a_damaged_member_is_left_out_and_the_next_taken(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bo.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ipynb", notebook() + " " * 10_000)
        archive.writestr("b.ipynb", notebook("d2-gemm"))
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(data)
    (report,) = collect(folder, [path])
    assert [t.exercise for t in report.taken] == ["d2.gemm"]
    assert "not a zip that can be read" in report.left_out[0]


def test_a_notebook_is_kept_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    data = notebook().replace("}", "}\r\n").encode("utf-16")
    collect(folder, [make_zip(tmp_path / "bo.zip", {"a.ipynb": data})])
    assert (folder / MINICV.format("bo")).read_bytes() == data


@pytest.mark.parametrize("exercise", ["d2-nothing", "d2-/../../ana/x", "d9-minicv"])
def test_unknown_exercises_are_left_out(folder: Path, tmp_path: Path, exercise: str) -> None:
    (report,) = collect(folder, [make_zip(tmp_path / "bo.zip", {"a.ipynb": notebook(exercise)})])
    assert report.taken == []
    assert len(report.left_out) == 1
    assert not list((folder / "submitted").rglob("*"))
