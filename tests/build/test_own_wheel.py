"""Packing an installed distribution into a wheel again."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from tlcourse.build import own_wheel
from tlcourse.build.own_wheel import packed_again
from tlcourse.diagnostics import TLError

FILES = {
    "tlcourse/__init__.py": "X = 7\n",
    "tlcourse/course_files/notebooks/a.txt": "一\n",
    "tlcourse-0.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tlcourse\nVersion: 0.1.0\n",
    "tlcourse-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
    "Tag: py3-none-any\nGenerator: test\n",
}
OF_PIP = ("tlcourse-0.1.0.dist-info/INSTALLER", "tlcourse/__pycache__/a.pyc", "../../bin/tlcourse")


@pytest.fixture
def installed(tmp_path: Path) -> PathDistribution:
    site = tmp_path / "lib" / "python" / "site"
    for name, text in {**FILES, **dict.fromkeys(OF_PIP, "x")}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    record = site / "tlcourse-0.1.0.dist-info" / "RECORD"
    names = [*FILES, *OF_PIP, "tlcourse-0.1.0.dist-info/RECORD"]
    record.write_text("".join(f"{name},,\n" for name in names))
    return PathDistribution(record.parent)


def test_the_files_of_the_wheel_and_no_others(installed: PathDistribution, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed_again(installed, tmp_path)) as wheel:
        assert sorted(wheel.namelist()) == sorted([*FILES, "tlcourse-0.1.0.dist-info/RECORD"])


def test_pip_installs_it(installed: PathDistribution, tmp_path: Path) -> None:
    made = packed_again(installed, tmp_path)
    options = ["--no-index", "--no-deps", "--quiet", "--target", str(tmp_path / "there")]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(made)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr  # pip compares every file with its hash
    assert (tmp_path / "there" / "tlcourse" / "__init__.py").read_text() == "X = 7\n"


def test_a_lost_file_is_told(installed: PathDistribution, tmp_path: Path) -> None:
    (tmp_path / "lib/python/site/tlcourse/__init__.py").unlink()
    with pytest.raises(TLError) as caught:
        packed_again(installed, tmp_path)
    assert caught.value.code == "TL782"
    assert "tlcourse/__init__.py" in caught.value.diagnostic.why


def test_a_build_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("not toml [")
    monkeypatch.setattr(own_wheel, "checkout", lambda: tmp_path)
    with pytest.raises(TLError) as caught:
        own_wheel.own_wheel(tmp_path)
    assert caught.value.code == "TL782"
    assert not list(tmp_path.glob(".own-*"))
