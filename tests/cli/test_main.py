"""The command as a process: what it prints, and its exit codes 0, 1 and 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse import cli
from tlcourse.diagnostics import error

COMMANDS = (
    "lab",
    "demo",
    "ir",
    "run",
    "opt",
    "whatif",
    "grade",
    "validate",
    "collect",
    "build",
    "hint",
    "doctor",
    "wheelhouse",
    "update",
    "bench",
    "conformance",
    "calibrate",
    "new-op-package",
    "precompile",
    "new-exercise",
)


def tlcourse(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from tlcourse.cli import main; main()", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("command", [*COMMANDS, "class init", "spec check", "spec matrix"])
def test_every_command_has_help(command: str) -> None:
    shown = CliRunner().invoke(cli.app, [*command.split(), "--help"])
    assert shown.exit_code == 0
    assert "Usage:" in shown.output


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["ir"], ["ir", "missing.py"], ["run", "missing.py"], ["demo", "--mode", "x"]],
    ids=" ".join,
)
def test_misuse_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(cli.app, arguments).exit_code == 2


def test_a_learners_error_has_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error("TL707", "no course", why="because", fix="do this")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("error[TL707]: no course\n")
    assert "Traceback" not in shown


def test_help_needs_neither_torch_nor_xdsl() -> None:
    code = """
import sys
from typer.testing import CliRunner
from tlcourse.cli import app
assert CliRunner().invoke(app, ["--help"]).exit_code == 0
print({"torch", "xdsl", "matplotlib"} & {*sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_run_gives_the_script_its_arguments_and_exit_code(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("NAME = 'helper'\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, helper\n"
        "print(__name__, sys.argv[1:], helper.NAME)\n"
        "import tilelang.utils as u; print(u.NPUUtils.get().get_arch())\n"
        "sys.exit(7)\n"
    )
    done = tlcourse("run", str(script), "--size", "3")
    assert done.stdout == "__main__ ['--size', '3'] helper\nAscend910B1\n"
    assert done.returncode == 7


def test_run_shows_an_error_from_the_scripts_own_line_on(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def f():\n    return 1 / 0\n\nf()\n")
    done = tlcourse("run", str(script))
    assert done.returncode == 1
    first = done.stderr.splitlines()[1]
    assert first == f'  File "{script}", line 4, in <module>'
    assert "ZeroDivisionError" in done.stderr


FLAG_9 = """import tilelang, torch
import torch_npu
import tilelang.language as T

@T.prim_func
def moved(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 9)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 9)
        T.copy(a, B)

kernel = tilelang.compile(moved, out_idx=[1])
for launch in range(2):
    kernel(torch.ones(64).npu())
print("came to its end")
"""


def test_each_launch_tells_what_was_found_in_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FLAG_9)
    done = tlcourse("run", "script.py", folder=tmp_path)
    assert done.stderr.count("FindingWarning: warning[TL525]: flag id 9 is used in block 0") == 2
    assert (done.returncode, done.stdout) == (0, "came to its end\n")


def test_strict_makes_an_error_of_a_finding(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FLAG_9)
    done = tlcourse("run", "--strict", "script.py", folder=tmp_path)
    assert "warning[TL525]: flag id 9 is used in block 0" in done.stderr
    assert "FindingWarning" not in done.stderr
    assert (done.returncode, done.stdout) == (1, "")


def test_a_warning_of_a_command_is_words_alone(tmp_path: Path) -> None:
    """Where no line of the learner's called, Python would show a line of the library typer."""
    (tmp_path / "k.py").write_text(
        "from tlcourse.examples.minicv import minicv_developer\n"
        "def k():\n"
        "    return minicv_developer(64, 128, 64, block_M=64, block_N=128, block_K=64)\n"
    )
    option = ("--option", "tile-mix-cube-loop=4")
    done = tlcourse("ir", "k.py:k", "--mode", "developer", *option, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning[TL326]: pass_configs: npuir.tile_mix_cube_loop = 4")
    assert "typer" not in done.stderr


def test_a_file_that_cannot_be_written_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text("module {}")
    (tmp_path / "taken").write_text("")
    more = ("--print-ir-tree-dir", "taken/dumps", "-p", "cse")
    done = tlcourse("opt", "k.mlir", *more, folder=tmp_path)
    assert done.returncode == 1
    assert "TL718" in done.stderr
    assert "Traceback" not in done.stderr
