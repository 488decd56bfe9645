"""The course of a wheel, and files that are none."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tlcourse.build.course_source import course_in, is_older
from tlcourse.build.workspace import course_folder
from tlcourse.diagnostics import TLError

NAME = "tlcourse-0.2.0-py3-none-any.whl"
LESSON = "tlcourse/course_files/notebooks/day1/a.ipynb"


def wheel(folder: Path, *inside: str, name: str = NAME) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for one in inside:
            archive.writestr(one, "{}")
    return folder / name


def test_a_wheel_is_unpacked_for_a_while(tmp_path: Path) -> None:
    with course_in(wheel(tmp_path, LESSON, "tlcourse/__init__.py")) as source:
        assert source.version == "0.2.0"
        assert (source.folder / "notebooks/day1/a.ipynb").is_file()
        assert not (source.folder.parent / "__init__.py").exists()
    assert not source.folder.exists()


def test_without_a_wheel_it_is_the_installed_course() -> None:
    with course_in(None) as source:
        assert source.folder == course_folder()


@pytest.mark.parametrize("name", ["numpy-2.0-py3-none-any.whl", "tlcourse.zip"])
def test_another_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(TLError) as caught, course_in(wheel(tmp_path, LESSON, name=name)):
        pass
    assert caught.value.code == "TL809"


def test_a_damaged_or_empty_wheel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TLError, match="TL809"), course_in(wheel(tmp_path, "a.py")):
        pass
    (tmp_path / NAME).write_bytes(b"half")
    with pytest.raises(TLError, match="TL809"), course_in(tmp_path / NAME):
        pass


@pytest.mark.parametrize(
    ("one", "other", "older"),
    [("0.1.0", "0.2.0", True), ("0.10.0", "0.9.0", False), ("0.2.0", "0.2.0", False)],
)
def test_versions_are_compared_by_numbers(one: str, other: str, older: bool) -> None:
    assert is_older(one, other) is older
