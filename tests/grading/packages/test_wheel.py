"""The wheel of a package: what pip installs, with every file that the package needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tlcourse.grading.packages.wheel import build_wheel, install
from tlcourse.ops.new_package import new_package


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_package("gates", tmp_path)


def test_equal_packages_give_equal_wheels(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (build_wheel(folder, tmp_path / name) for name in "ab")
    assert first.name == "gates-0.1.0-py3-none-any.whl"
    assert first.read_bytes() == second.read_bytes()


def test_sources_stand_where_the_package_wants_them(folder: Path, tmp_path: Path) -> None:
    (folder / "src" / "__pycache__").mkdir()
    (folder / "src" / "__pycache__" / "old.pyc").write_bytes(b"x")
    install(build_wheel(folder, tmp_path), tmp_path / "site")
    found = {p.relative_to(tmp_path / "site").as_posix() for p in (tmp_path / "site").rglob("*.py")}
    assert found >= {"gates/registry.py", "gates/ops/gates.py", "gates/kernels/gates.py"}
    assert not list((tmp_path / "site").rglob("*.pyc"))


def test_pip_takes_it(folder: Path, tmp_path: Path) -> None:
    wheel = build_wheel(folder, tmp_path)
    target = tmp_path / "target"
    options = ("--no-deps", "--no-index", "--quiet", "--target", str(target))
    command = [sys.executable, "-m", "pip", "install", *options, str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.endswith(".py")]
    assert all((target / name).is_file() for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "[project]\nname = 'gates'\nversion = '1'\n[tool.hatch.build.targets]\nwheel = 3",
    ],
    ids=["empty", "no TOML", "no sources"],
)
def test_a_project_without_sources_makes_no_wheel(folder: Path, tmp_path: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"pyproject.toml makes no wheel"):
        build_wheel(folder, tmp_path)
