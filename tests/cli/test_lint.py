"""`tlcourse ir --lint` at the level of arguments and output."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tlcourse.cli import app
from tlcourse.lint import LintReport
from tlcourse.records import from_json

KERNEL = """
import tilelang.language as T

@T.prim_func
def fill(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_ub((64,), "float32")
        T.fill(a, 1.0)
        a[0] = a[(n - 1) % 2]
        for i in T.serial(2):
            a[0] = a[(i - 1) % 2]
        T.copy(a, A)
"""
SAME = KERNEL.replace("T.fill(a, 1.0)", "T.clear(a)").replace("(i - 1)", "(i + 1)")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The command sets these for its children; once set here, they are put back after the test.
    for name in ("TLCOURSE_BACKEND", "TILELANG_ASCEND_MODE"):
        monkeypatch.setenv(name, "")
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["ir", *arguments, "--lint"])


def test_differences_are_shown_with_carets_and_counted(file: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        result = lint(f"{file}:fill", "--mode", "expert")
    assert result.exit_code == 1
    assert "warning[TL140]: `T.fill(a, 1.0)` fills with a Python number" in result.output
    assert "^^^^^^^^^^^^^^ fill-number" in result.output
    assert "warning[TL137]: a side of this `%` can be as low as -1" in result.output
    assert result.output.endswith(
        "fill, Expert mode: 2 differences from upstream, explained in docs/differences.md\n"
    )
    assert said == []


def test_kernel_without_differences_says_so(file: Path) -> None:
    file.write_text(SAME)
    result = lint(str(file))
    assert result.exit_code == 0
    assert result.output == "fill, Expert mode: no differences from upstream\n"


def test_one_difference_is_one(file: Path) -> None:
    file.write_text(SAME.replace("T.clear(a)", "T.vfloor(a, a)"))
    assert ": 1 difference from upstream," in lint(str(file)).output


def test_differences_as_data(file: Path) -> None:
    file.write_text(KERNEL + "\nprint('hello')\n")
    result = lint(str(file), "--json")
    assert result.exit_code == 1
    report = from_json(LintReport, result.stdout)
    assert [one.rule for one in report.differences] == ["fill-number", "TL137"]
    assert result.stderr == "hello\n"


@pytest.mark.parametrize(
    "options", [("--pass", "input"), ("--locations",), ("--backend", "bishengir")]
)
def test_options_of_the_passes_are_misuse(file: Path, options: tuple[str, ...]) -> None:
    result = lint(str(file), *options)
    assert result.exit_code == 2
    assert "goes with --mode and --json only" in " ".join(result.output.split())


def test_a_page_of_differences_is_misuse(file: Path, tmp_path: Path) -> None:
    assert lint(str(file), "--html", str(tmp_path / "out.html")).exit_code == 2
    assert not (tmp_path / "out.html").exists()


def test_passes_are_shown_without_loading_the_lint(file: Path) -> None:
    code = f"""
import sys
from tlcourse.cli import app
app(["ir", {str(file)!r}, "--pass", "input"], standalone_mode=False)
print([name for name in sys.modules if "lint" in name and name.startswith("tlcourse")])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.endswith("[]\n"), done.stdout + done.stderr
