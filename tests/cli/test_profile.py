from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse.cli import app
from tlcourse.diagnostics import TLError

KERNEL = """
import tilelang.language as T


def add(N=4096, n=256):
    @T.prim_func
    def add(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // n, is_npu=True) as (cid, _):
            tile = T.alloc_ub((n,), "float32")
            T.copy(A[cid * n : (cid + 1) * n], tile)
            T.vadd(tile, 1.0, tile)
            T.copy(tile, B[cid * n : (cid + 1) * n])

    return add


kernel = add()
"""


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TILELANG_ASCEND_MODE", "TLCOURSE_COMPILER", "TLCOURSE_BACKEND"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(KERNEL)
    return path


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["profile", *map(str, words)])
    if isinstance(result.exception, TLError):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_writes_the_files_and_says_that_time_is_simulated(file: Path, tmp_path: Path) -> None:
    code, out, err = run(f"{file}:kernel", "--out", tmp_path / "out")
    assert code == 0
    assert "us simulated" in out
    assert "Bound by latency" in out
    assert len(list((tmp_path / "out").glob("OPPROF_*/simulator/trace.json"))) == 1
    assert "compiling and recording add" in err


def test_json_is_one_record_and_the_same_again(file: Path, tmp_path: Path) -> None:
    _, out, _ = run(f"{file}:kernel", "--out", tmp_path / "out", "--json")
    found = json.loads(out)
    assert found["schema"] == "tlcourse.ProfileSummary/1"
    assert found["clock"] == "simulated"
    _, again, _ = run(f"{file}:kernel", "--out", tmp_path / "two", "--json")
    assert json.loads(again)["cycles"] == found["cycles"]


def test_another_chip_takes_another_time(file: Path, tmp_path: Path) -> None:
    times = [
        json.loads(run(f"{file}:kernel", "--out", tmp_path / chip, "--chip", chip, "--json")[1])
        for chip in ("Ascend910B1", "Ascend910B4")
    ]
    assert [one["chip"] for one in times] == ["Ascend910B1", "Ascend910B4"]
    assert times[0]["microseconds"] < times[1]["microseconds"]


def test_a_folder_that_holds_something_is_refused_at_once(file: Path, tmp_path: Path) -> None:
    with pytest.raises(TLError, match="TL720"):
        run(f"{tmp_path}/add.py:kernel", "--out", tmp_path)


@pytest.mark.parametrize("word", ["4096y", "12x?"])
def test_argument_that_is_neither_shape_nor_number(word: str, file: Path, tmp_path: Path) -> None:
    code, _, err = run(f"{file}:kernel", "--out", tmp_path / "out", "--arg", word)
    assert code == 2
    assert "neither a shape" in err


def test_shapes_can_be_given(file: Path, tmp_path: Path) -> None:
    arguments = ["--arg", "4096x", "--arg", "4096x"]
    code, out, _ = run(f"{file}:kernel", "--out", tmp_path / "out", *arguments)
    assert code == 0
    assert "add on" in out


def test_help_names_every_option() -> None:
    _, out, _ = run("--help")
    for option in ("--out", "--chip", "--backend", "--json", "--cold", "--block", "--arg"):
        assert option in out
