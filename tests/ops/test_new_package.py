"""The template: what it writes, what installs, what its own tests say of good and bad code."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tlcourse
from tlcourse.diagnostics import TLError
from tlcourse.ops.new_package import new_package

PATHS = (
    "compile/kernels/gated.py",
    "compile/kernels/__init__.py",
    "src/ops/gated.py",
    "src/registry.py",
    "src/__init__.py",
    "tests/test_gated.py",
    "README.md",
    "pyproject.toml",
)
SITE = next(path for path in sys.path if path.endswith("site-packages"))


def run(*command: str, folder: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(command),
        cwd=folder,
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_template_has_the_seven_steps_on_their_paths(tmp_path: Path) -> None:
    folder = new_package("gated", tmp_path)
    assert all((folder / path).is_file() for path in PATHS)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^(\d)\. \*\*", readme, re.MULTILINE) == list("1234567")
    for number, path in ((1, PATHS[0]), (2, PATHS[1]), (3, PATHS[2]), (4, PATHS[3]), (5, PATHS[4])):
        assert re.search(rf"^{number}\..*`{path}`", readme, re.MULTILINE)
        assert f"Step {number}." in (folder / path).read_text(encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]
    assert not [text for text in texts if "$name" in text or "NAME" in text.replace("NAMES", "")]


@pytest.mark.parametrize("name", ["Gated", "a-b", "9x", "", "json", "torch"])
def test_names_that_cannot_be_imported_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TLError, match="TL486"):
        new_package(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "gated").mkdir()
    (tmp_path / "gated" / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(TLError, match="TL486"):
        new_package("gated", tmp_path)
    assert [path.name for path in (tmp_path / "gated").iterdir()] == ["mine"]


@pytest.mark.slow
def test_a_fresh_environment_installs_it_and_runs_its_tests(tmp_path: Path) -> None:
    """The environment sees this one's torch and tlcourse; the package is installed into it."""
    made = run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    assert made.returncode == 0, made.stderr
    python = str(tmp_path / "venv" / "bin" / "python")
    where = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    lines = f"import site; site.addsitedir({SITE!r})\n{Path(tlcourse.__file__).parents[1]}\n"
    (Path(where.stdout.strip()) / "this.pth").write_text(lines, encoding="utf-8")
    start = "from tlcourse.cli import main; main()"
    done = run(python, "-c", start, "new-op-package", "opsfresh", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    # Without hatchling here, pip fetches it, as it does for a user.
    alone = ("--no-build-isolation",) if importlib.util.find_spec("hatchling") else ()
    pip = ("-m", "pip", "install", "--no-deps", *alone, "./opsfresh")
    done = run(python, *pip, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "opsfresh")
    good = run(python, *tests, folder=tmp_path)
    assert good.returncode == 0, good.stdout + good.stderr

    place = "import opsfresh; print(opsfresh.__path__[0])"
    site = Path(run(python, "-c", place, folder=tmp_path).stdout.strip())
    operator = site / "ops" / "opsfresh.py"
    text = operator.read_text(encoding="utf-8")
    operator.write_text(text.replace("(rows).reshape", "(rows).mul(1.1).reshape"), encoding="utf-8")
    bad = run(python, *tests, folder=tmp_path)
    assert bad.returncode == 1
    assert "test_numbers" in bad.stdout
