"""Every pass has a file <pass>.mlir here; its RUN lines are run and its CHECK lines compared.

A line `// RUN: tlcourse opt %s ... | filecheck %s` runs the command in this process, a line
`// RUN: bishengir-opt %s ... | filecheck %s` runs the real compiler on the same file.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse.bishengir import find_tool
from tlcourse.cli import app
from tlcourse.conformance.filecheck_run import check_text
from tlcourse.pipeline.registry import passes

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.mlir"))
_RUN = re.compile(r"^// RUN: (tlcourse opt|bishengir-opt) (.*) \| filecheck %s$", re.MULTILINE)
_PASS_OF_TOOL = re.compile(r"^ +--([\w-]+)", re.MULTILINE)
_LIMIT_S = 60
_OF_TVM = "upstream runs it on TVM's TIR in Python, before there is any MLIR"
# Passes that bishengir-opt does not have, and why.
WITHOUT_REAL = {
    "BindTarget": _OF_TVM,
    "LegalizeNpuirBF16": _OF_TVM,
    "LowerNpuirBlock": _OF_TVM,
    "LowerOpaqueBlock": _OF_TVM,
    "NpuLoopVectorize": _OF_TVM,
    "PlanAndUpdateBufferAllocationLocation": _OF_TVM,
    "RemoveNoOp": _OF_TVM,
    "Simplify": _OF_TVM,
}


def _runs(tool: str) -> list[tuple[Path, str]]:
    found = [(path, run) for path in FILES for run in _RUN.findall(path.read_text("utf-8"))]
    return [(path, words) for path, (name, words) in found if name == tool]


def _words(path: Path, text: str) -> list[str]:
    return [str(path) if word == "%s" else word for word in shlex.split(text)]


@cache
def _passes_of_tool() -> frozenset[str]:
    tool = find_tool()
    assert tool is not None
    said = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True)
    return frozenset(_PASS_OF_TOOL.findall(said.stdout))


def test_every_pass_has_a_file_and_every_file_a_pass() -> None:
    assert {path.stem for path in FILES} == set(passes())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_runs_its_pass_and_nothing_is_left_over(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(_RUN.findall(text)) == text.count("RUN:") > 0
    assert all(re.search(rf"\b{path.stem}\b", words) for _, words in _RUN.findall(text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_tools_answer_the_same_checks(path: Path) -> None:
    tools = [tool for tool, _ in _RUN.findall(path.read_text("utf-8"))]
    assert tools[0] == "tlcourse opt"
    assert ("bishengir-opt" in tools) is (path.stem not in WITHOUT_REAL)


def test_passes_on_tile_ir_alone_have_no_real_counterpart() -> None:
    assert set(WITHOUT_REAL) == {one.name for one in passes().values() if one.level == "tir"}


@pytest.mark.parametrize(
    ("path", "words"), _runs("tlcourse opt"), ids=lambda value: getattr(value, "stem", "")
)
def test_ours(path: Path, words: str) -> None:
    done = CliRunner().invoke(app, ["opt", *_words(path, words)])
    assert done.exit_code == 0, str(done.exception)
    found = check_text(path.read_text("utf-8"), done.stdout)
    assert not found, f"{found}\n\n{done.stdout}"


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("path", "words"), _runs("bishengir-opt"), ids=lambda value: getattr(value, "stem", "")
)
def test_the_real_compiler(bishengir_opt: Path, path: Path, words: str) -> None:
    done = subprocess.run(
        [str(bishengir_opt), *_words(path, words)],
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = check_text(path.read_text("utf-8"), done.stdout)
    assert not found, f"{found}\n\n{done.stdout}"


@pytest.mark.bishengir
def test_the_real_compiler_lacks_these_passes_and_no_others(bishengir_opt: Path) -> None:
    assert set(passes()) - _passes_of_tool() == set(WITHOUT_REAL)


def test_a_mismatch_is_found() -> None:
    text = "// CHECK: one\n// CHECK-NEXT: two\n"
    assert check_text(text, "one\ntwo\n") == ""
    assert "two" in check_text(text, "one\nthree\n")
