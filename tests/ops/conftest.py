"""A package made by the template, once for all tests of this folder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tlcourse.ops.new_package import new_package
from tlcourse.ops.precompile import precompile

NAME = "opsdemo"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder, precompiled. Nobody changes it."""
    folder = new_package(NAME, tmp_path_factory.mktemp("package"))
    assert len(list(precompile(folder, native=False))) == 2
    return folder


@pytest.fixture
def package(built: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(built, tmp_path / NAME))


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The package as a wheel lays it out, on sys.path for the rest of the run; its name."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(built / "src", site / NAME)
    sys.path.insert(0, str(site))
    return NAME
