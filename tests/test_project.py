"""The repository agrees with itself: dependencies, errors and their pages, sizes, layers."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CODE = ROOT / "tlcourse"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ERROR_CODE = re.compile(r"\bTL\d{3}\b")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def name_of(requirement: str) -> str:
    """The normal form of a requirement's distribution name."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def constraints() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def extras_in(text: str) -> set[str]:
    """The extras named in an editable requirement `.[a,b]`."""
    found = re.search(r"--editable \.\[([a-z,]+)\]", text)
    assert found
    return set(found[1].split(","))


def python_files() -> list[Path]:
    return sorted(CODE.rglob("*.py"))


@cache
def all_tests() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))


@cache
def raised_codes() -> dict[str, str]:
    """Each error code that stands as a string in the package, with one file that has it."""
    found: dict[str, str] = {}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if ERROR_CODE.fullmatch(node.value):
                    found.setdefault(node.value, str(path.relative_to(ROOT)))
    return found


def test_every_dependency_has_one_exact_version() -> None:
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pinned = {name_of(line) for line in constraints()}
    assert {name_of(requirement) for requirement in wanted} <= pinned
    assert len(pinned) == len(constraints())


def test_constraints_hold_exact_public_versions_only() -> None:
    for line in constraints():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*( *;.*)?", line), line


def test_environment_file_follows_the_project() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    *conda, pip = yaml.safe_load(text)["dependencies"]
    python = next(entry for entry in conda if entry.startswith("python="))
    assert f">={python.removeprefix('python=')}" == PROJECT["project"]["requires-python"]
    assert "--constraint constraints.txt" in pip["pip"]
    assert extras_in("\n".join(pip["pip"])) == set(PROJECT["project"]["optional-dependencies"])
    assert "torch_npu" in text
    assert not [entry for entry in pip["pip"] if "npu" in entry and "ascendnpu" not in entry]


def test_binder_follows_the_project() -> None:
    text = (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
    known = set(PROJECT["project"]["optional-dependencies"])
    assert extras_in(text) == known - {"test"}
    image, whole = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["dependencies"]
        for name in ("binder/environment.yml", "environment.yml")
    )
    assert set(image) == {entry for entry in whole if isinstance(entry, str)}


def test_conda_and_pip_agree_on_torch() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    torch = next(line for line in constraints() if line.startswith("torch=="))
    assert f"pytorch-cpu={torch.removeprefix('torch==')}" in text


def test_make_installs_every_extra() -> None:
    found = re.search(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found
    assert set(found[1].split(",")) == set(PROJECT["project"]["optional-dependencies"])


@pytest.mark.parametrize("code", sorted(raised_codes()))
def test_error_has_a_section_and_a_test(code: str) -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    where = raised_codes()[code]
    assert re.search(rf"^## {code} \S", page, re.MULTILINE), f"{where}: no section in errors.md"
    assert code in all_tests(), f"{where}: no test mentions {code}"


def test_error_sections_are_sorted_unique_and_raised() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    codes = re.findall(r"^## (TL\d{3}) ", page, re.MULTILINE)
    assert codes == sorted(set(codes))
    assert set(codes) <= set(raised_codes())


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(CODE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, node.name


def test_programs_run_with_torch_alone() -> None:
    code = """
import sys
import tlcourse.functional.run
import tlcourse.simulator.run
print([name for name in sys.modules if name.split(".")[0] == "xdsl" or ".dialects" in name])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr
