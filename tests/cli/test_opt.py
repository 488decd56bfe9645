"""`opt` at the level of arguments and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tlcourse.cli import app
from tlcourse.diagnostics import TLError

TEXT = "func.func @k() {\n  %a = arith.constant 1 : i32\n  return\n}\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.mlir"
    path.write_text(TEXT)
    return path


def opt(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(app, ["opt", *arguments], input=given)


def test_a_file_in_and_text_out(file: Path) -> None:
    result = opt(str(file), "-p", "builtin.module(func.func(canonicalize-ext))")
    assert result.exit_code == 0
    assert result.stdout == "module {\n  func.func @k() {\n    return\n  }\n}\n"


def test_standard_input_and_a_file_for_the_result(tmp_path: Path) -> None:
    out = tmp_path / "out.mlir"
    result = opt("-", "--pass-pipeline", "cse", "-o", str(out), "--generic", given=TEXT)
    assert (result.exit_code, result.stdout) == (0, "")
    assert '"func.return"() : () -> ()' in out.read_text()


def test_without_a_file_what_is_piped_in_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opt("-p", "cse", given=TEXT).stdout.startswith("module {")
    monkeypatch.setattr("tlcourse.cli.opt._at_terminal", lambda: True)
    typed = opt("-p", "cse", given=TEXT)
    assert typed.exit_code == 2
    assert "give a file of MLIR" in typed.output


def test_list() -> None:
    result = opt("--list")
    assert result.exit_code == 0
    assert "  hivm-plan-memory " in result.stdout


def test_dumps_and_times_go_to_stderr(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    more = ("--print-ir-after-all", "--print-ir-tree-dir", str(folder), "--timing")
    result = opt(str(file), "-p", "cse,canonicalize-ext", *more)
    assert result.stderr.count("IR Dump After") == 2
    assert "total" in result.stderr
    assert "IR Dump" not in result.stdout
    assert len(list(folder.iterdir())) == 2


def test_split_and_verify(tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(f"{TEXT}// -----\n// expected-error@+1 {{{{no operation nothing}}}}\nnothing\n")
    assert opt(str(path), "--split-input-file", "--verify-diagnostics").exit_code == 0
    assert isinstance(opt(str(path), "--split-input-file").exception, TLError)


@pytest.mark.parametrize("arguments", [("/nowhere.mlir",), ("-", "-o", "/nowhere/x.mlir")])
def test_misuse(arguments: tuple[str, ...]) -> None:
    assert opt(*arguments, given=TEXT).exit_code == 2


def test_a_file_that_is_no_text_is_misuse(tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_bytes(b"\xff\xfe")
    result = opt(str(path))
    assert result.exit_code == 2
    assert "is no text in UTF-8" in " ".join(result.output.replace("│", " ").split())


def test_an_error_has_a_code(file: Path) -> None:
    problem = opt(str(file), "-p", "nothing").exception
    assert isinstance(problem, TLError)
    assert problem.code == "TL320"
