"""Measured rows and the kernels that stand for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.calibration.rows import NOT_IN_TABLE, read_rows
from tlcourse.diagnostics import TLError

TABLE = (
    "group,kernel,variant,shape,dtype,factory,mode,chip,by_hand,cold,described,rounds,parameters,reason\n"
    'lerplog,lerp,a,8,float32,lerp.lerp,Developer,Ascend910B2,,yes,,7,"{""N"": 8}",\n'
    "mean,mean,vendor,8,float32,,,,,,,,,nobody knows how\n"
)
DATA = (
    "group,kernel,variant,shape,dtype,time_us,other\n"
    "lerplog,lerp,a,8,float32,80.0,mte2_ratio=0.7;vec_ratio=0.5\n"
    "mean,mean,vendor,8,float32,20,\n"
    "rope,rope,x,8,float32,3.0,vec_util=10%;mte2_util=40%;mte2_active_us=0.8\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "data.csv").write_text(DATA)
    return tmp_path


def test_a_row_has_its_kernel_or_a_reason(folder: Path) -> None:
    lerp, mean, rope = read_rows(folder / "data.csv", folder)
    assert (lerp.family, lerp.measured_us, lerp.number) == ("lerp", 80.0, 1)
    assert lerp.stand is not None
    assert (lerp.stand.factory, lerp.stand.rounds, lerp.stand.cold) == ("lerp.lerp", 7, True)
    assert lerp.stand.parameters == {"N": 8}
    assert (mean.stand, mean.reason) == (None, "nobody knows how")
    assert (rope.stand, rope.reason) == (None, NOT_IN_TABLE)


def test_busy_times_of_the_vector_pipe(folder: Path) -> None:
    """0.8 us are 40 % of 2 us at work, of which 10 % are 0.2 us; half of 80 us are 40."""
    lerp, mean, rope = read_rows(folder / "data.csv", folder)
    assert lerp.vector_us == pytest.approx(40)
    assert mean.vector_us is None
    assert rope.vector_us == pytest.approx(0.2)


@pytest.mark.parametrize("text", ["", "group,kernel\na,b\n"])
def test_a_file_without_the_columns_is_refused(folder: Path, text: str) -> None:
    (folder / "data.csv").write_text(text)
    with pytest.raises(TLError, match="TL760"):
        read_rows(folder / "data.csv", folder)


def test_a_folder_without_a_table_is_refused(folder: Path) -> None:
    with pytest.raises(TLError, match="TL760"):
        read_rows(folder / "data.csv", folder / "elsewhere")


@pytest.mark.parametrize("time", ["x", "", "nan", "inf", "0", "-3"])
def test_a_time_is_a_number_above_0(folder: Path, time: str) -> None:
    (folder / "data.csv").write_text(DATA.replace("20,", f"{time},"))
    with pytest.raises(TLError, match="TL760") as caught:
        read_rows(folder / "data.csv", folder)
    assert "row 2" in str(caught.value)
