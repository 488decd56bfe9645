"""`tlcourse pytest`: ours is served, in workers too, and the exit code comes through."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tlcourse.conformance import pytest_run
from tlcourse.diagnostics import TLError

TEST = """
import os
import torch

def test_ours():
    assert torch.ones(2).npu().device.type == "npu"
    import tilelang
    assert "tlcourse" in tilelang.__version__
    assert os.environ["TLCOURSE_EXECUTION"] == "functional"

def test_wrong():
    assert False
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tlcourse.cli import main; main()", "pytest"]
    return subprocess.run(
        [*command, "--execution", "functional", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "TLCOURSE_BACKEND": "", "TLCOURSE_EXECUTION": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    return tmp_path


def test_arguments_and_exit_code_pass_through(folder: Path) -> None:
    right = run(folder, "-k", "ours", "test_it.py")
    assert right.returncode == 0, right.stdout
    assert "1 passed, 1 deselected" in right.stdout
    assert run(folder, "-k", "wrong").returncode == 1
    assert run(folder, "-k", "nothing").returncode == 5


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pytest-xdist")
def test_workers_are_served_too(folder: Path) -> None:
    done = run(folder, "-n", "1", "-k", "ours")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_pytest_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_run, "find_spec", lambda name: None)
    with pytest.raises(TLError, match="TL714"):
        pytest_run.run_pytest([])


def test_help_and_errors_name_the_command(folder: Path) -> None:
    said = run(folder, "--help").stdout
    assert "usage: tlcourse pytest [options]" in said
    assert "tlcourse pytest --execution simulator|functional|npu .." in said
    wrong = run(folder, "--nonsense")
    assert "tlcourse pytest: error: " in wrong.stderr
    assert "--execution" not in run(folder, "-k", "ours").stdout
