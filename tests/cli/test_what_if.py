"""`whatif` at the level of arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tlcourse.cli import app

KERNEL = """
from tlcourse.examples.minicv import minicv_expert
def minicv():
    return minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("TILELANG_ASCEND_MODE", "TLCOURSE_COMPILER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    return f"{path}:minicv"


def what_if(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["whatif", *arguments])


def test_the_listing_shows_flags_and_lines(file: str) -> None:
    result = what_if(file, "--mode", "expert")
    assert result.exit_code == 0, result.output
    rows = [line for line in result.stdout.splitlines() if "wait_flag M to FIX" in line]
    assert len(rows) == 1
    assert " * aic " in rows[0]
    assert "T.copy(C_l0, C[" in rows[0]


def test_a_flag_less(file: str) -> None:
    lines = json.loads(what_if(file, "--mode", "expert", "--json").stdout)
    wait = next(line["number"] for line in lines if line["text"].startswith("wait_flag M to FIX"))
    result = what_if(file, "--mode", "expert", "--remove", str(wait))
    assert result.exit_code == 0, result.output
    assert "findings: 1" in result.stdout
    assert "error[TL521]: fixpipe reads C_l0 in L0C while mmadL1 may still" in result.stdout
    data = json.loads(what_if(file, "--mode", "expert", "--remove", str(wait), "--json").stdout)
    assert data["findings"][0]["diagnostic"]["code"] == "TL521"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--swap", "3", "not two numbers"),
        ("--swap", "a,b", "not two numbers"),
        ("--shrink", "C_ub", "not BUFFER=BYTES"),
        ("--shrink", "C_ub=-1", "not BUFFER=BYTES"),
    ],
)
def test_misuse(file: str, option: str, value: str, said: str) -> None:
    result = what_if(file, option, value)
    assert result.exit_code == 2
    assert said in result.stderr
