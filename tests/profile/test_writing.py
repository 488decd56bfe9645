from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.profile import Profile, summary, write_profile, writing


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_tree_is_that_of_the_simulator(profile: Profile, tmp_path: Path) -> None:
    written = write_profile(profile, tmp_path / "out")
    names = set(files(written))
    for core in ("core0.cubecore0", "core0.veccore0", "core0.veccore1"):
        base = f"simulator/{core}"
        assert {f"{base}/{core}_code_exe.csv", f"{base}/{core}_instr_exe.csv"} <= names
        assert f"{base}/trace.json" in names
    tables = {"PipeUtilization", "ArithmeticUtilization", "Memory", "L2Cache", "bubbles"}
    assert {f"{name}.csv" for name in tables} <= names
    assert {"simulator/trace.json", "roofline.svg", "roofline.txt", "timeline.html"} <= names
    rows = list(csv.DictReader((written / "PipeUtilization.csv").read_text().splitlines()))
    assert [row["sub_block_id"] for row in rows] == ["cube0", "vector0", "vector1"]
    assert rows[0]["aiv_vec_ratio"] == "NA"


def test_equal_launches_give_equal_files(profile: Profile, tmp_path: Path) -> None:
    first = write_profile(profile, tmp_path / "one")
    second = write_profile(profile, tmp_path / "two")
    assert first.name == second.name
    assert first.name.startswith(f"OPPROF_{profile.timeline.cycles:014d}_")
    assert files(first) == files(second)
    other = replace(profile, cold=True)
    assert other.folder_name != profile.folder_name


def test_an_empty_folder_may_be_there(profile: Profile, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert write_profile(profile, tmp_path / "out").is_dir()


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_tl720_nothing_is_overwritten(kind: str, profile: Profile, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if kind == "folder":
        out.mkdir()
        (out / "mine.txt").write_text("mine")
    else:
        out.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(TLError, match=r"TL720.*not an empty folder"):
        write_profile(profile, out)
    assert sorted(tmp_path.rglob("*")) == before


def test_tl721_where_nothing_can_be_written(profile: Profile, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TLError, match=r"TL721.*cannot be written"):
        write_profile(profile, tmp_path / "file" / "out")


def test_nothing_is_left_of_a_write_that_fails(
    profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "roofline_svg", full)
    with pytest.raises(TLError, match=r"(?s)TL721.*No space left"):
        write_profile(profile, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_summary_lists_what_was_written(profile: Profile, tmp_path: Path) -> None:
    written = write_profile(profile, tmp_path / "out")
    short = summary(profile, written)
    assert set(short.files) == set(files(written))
    assert short.clock == "simulated"
    assert short.microseconds == pytest.approx(short.cycles / 1850, abs=1e-3)
    assert short.bubbles[0]["cycles"] >= short.bubbles[-1]["cycles"]
