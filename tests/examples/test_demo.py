"""The demo at its real size, through both forms and both back halves."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tlcourse.examples import demo
from tlcourse.records import Backend, Lane, Mode, Timeline


@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_demo_agrees_with_torch(mode: Mode) -> None:
    report = demo.run_demo(mode)
    assert report.agrees
    assert [line.name for line in report.outputs] == ["C", "D"]
    assert report.shape["M"] == 1024
    assert report.cycles > 0
    assert any(line.status == "changed" for line in report.passes)


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_demo_through_the_real_compiler(mode: Mode, bishengir_opt: Path) -> None:
    report = demo.run_demo(mode, "bishengir")
    assert report.agrees
    assert any(line.origin == "real" for line in report.passes)


def test_the_same_demo_twice_gives_the_same_report() -> None:
    backend: Backend = "embedded"
    assert demo.run_demo("Expert", backend) == demo.run_demo("Expert", backend)


def test_error_is_relative_for_large_and_absolute_for_small_numbers() -> None:
    line = demo.output_line("C", torch.tensor([0.1, 99.0]), torch.tensor([0.0, 99.0]))
    assert (line.max_error, line.agrees) == ("1.0e-01", False)
    line = demo.output_line("C", torch.tensor([99.001]), torch.tensor([99.0]))
    assert line.agrees


def test_a_nan_does_not_agree() -> None:
    assert not demo.output_line("C", torch.tensor([float("nan")]), torch.tensor([0.0])).agrees


def test_pipe_use_is_the_mean_over_cores() -> None:
    lanes = tuple(
        Lane(name=f"aic{core}", agent="aic", pipe="M", core=core, busy_cycles=busy)
        for core, busy in enumerate((100, 50))
    )
    timeline = Timeline(
        kernel="k",
        chip="c",
        clock_mhz=1000,
        cycles=200,
        launch_cycles=0,
        lanes=lanes,
        instructions=(),
    )
    (line,) = demo.pipe_lines(timeline)
    assert (line.agent, line.pipe, line.busy_percent) == ("aic", "M", 38)
