"""A whole calibration of a few small rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse import cli
from tlcourse.calibration.calibrate import calibrate
from tlcourse.calibration.recordings import FEW, MORE, Kernels, Recorded, record_rows
from tlcourse.calibration.report import markdown
from tlcourse.calibration.roofline import Roofline, fit_roofline, moved_bytes
from tlcourse.calibration.rows import read_rows
from tlcourse.chips import CHIPS
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile
from tlcourse.simulator.cycles import microseconds

KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels"
DATA = """group,kernel,variant,shape,dtype,time_us,other
lerplog,lerp_tensor,block=8192,N=2^20,float16,7.68,
lerplog,lerp_tensor,block=2048,N=2^20,float16,8.06,
lerplog,lerp_tensor,baseline block=4096,N=2^24,float16,71.36,vec_ratio=0.56
swiglu,swiglu,Triton (FlagGems),256x128,float16,1.963,
swiglu,swiglu,torch_npu,256x128,float16,3.351,
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calibration") / "data.csv"
    path.write_text(DATA)
    return path


@pytest.fixture(scope="module")
def recorded(data: Path) -> list[Recorded]:
    return list(record_rows(read_rows(data, KERNELS), Kernels(KERNELS)))


def test_a_long_launch_is_recorded_with_few_and_with_more_rounds(recorded) -> None:
    small, _, large, _ = recorded
    assert small.few is None
    assert large.few is not None
    assert (large.stand.rounds, MORE) == (86, 2 * FEW)


def test_a_recording_of_few_rounds_has_the_traffic_of_all(recorded) -> None:
    """Four tensors of 2**24 float16; the last of 86 rounds is not full."""
    assert moved_bytes(recorded[2]) == pytest.approx(4 * 2 * 2**24, rel=0.02)


def test_further_rounds_take_what_the_later_ones_take(recorded, data: Path) -> None:
    """All 86 rounds, recorded one by one, take nearly what the two short recordings say."""
    large = recorded[2]
    function = Kernels(KERNELS).make(large.stand, 0)
    kernel = compile(function, mode="Developer")
    whole = kernel.record(*[(2**24,)] * 4, chip=large.stand.chip)
    every = microseconds(whole, CHIPS[large.stand.chip])
    assert large.microseconds({}) == pytest.approx(every, rel=0.05)


def test_the_vector_pipe_of_a_long_launch(recorded) -> None:
    """Seven ops a tile in 86 tiles take more than 7 x 64 x 86 cycles of 1.8 GHz."""
    assert 7 * 64 * 86 / 1800 < recorded[2].vector_us({}) < recorded[2].microseconds({})


def test_a_constant_moves_a_prediction(recorded) -> None:
    base = recorded[0].microseconds({"launch_vector": 2.0})
    assert recorded[0].microseconds({"launch_vector": 3.0}) == pytest.approx(base + 1, abs=0.01)


def test_a_missing_kernel_is_named(data: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text((KERNELS / "rows.csv").read_text())
    with pytest.raises(TLError, match="TL761"):
        calibrate(data, tmp_path, fits=False, leaves_out=False)


def test_the_roofline_finds_its_own_constants() -> None:
    line = Roofline(launch_us=2.5, l2_gb_per_s=2000, hbm_gb_per_s=1250, l2_mib=192)
    sizes = [2**20 * mib for mib in (1, 8, 64, 150, 300, 900)]
    assert fit_roofline([(size, line.microseconds(size)) for size in sizes]).hbm_gb_per_s == 1250


def test_a_report_counts_rows_with_and_without_a_kernel(data: Path) -> None:
    found = calibrate(data, KERNELS, fits=False, leaves_out=False)
    text = markdown(found, "figure.png")
    assert "rows with a kernel: 4 of 5" in text
    assert "vendor operator below 100 MB" in text
    assert [p.row.number for p in found.predicted] == [1, 2, 3, 4]
    assert len(found.pairs) == 0  # block 8192 and 2048 differ by 5 % only


def test_the_command_writes_a_report_and_a_figure(data: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TLCOURSE_COMPILER", "embedded")
    arguments = ["calibrate", str(data), "--out", str(tmp_path), "--no-fit", "--no-leave-out"]
    done = CliRunner().invoke(cli.app, [*arguments, "--quiet"])
    assert done.exit_code == 0, done.output
    assert "rows with a kernel: 4 of 5" in done.output
    assert (tmp_path / "calibration.md").read_text().startswith("# Calibration")
    assert 5_000 < (tmp_path / "calibration.png").stat().st_size < 60_000


def test_every_row_of_the_table_names_a_kernel_or_says_why_not() -> None:
    with (KERNELS / "rows.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        assert bool(line["factory"]) != bool(line["reason"])
    factories = {line["factory"] for line in lines if line["factory"]}
    assert {f.split(".")[0] for f in factories} <= {p.stem for p in KERNELS.glob("*.py")}
