from __future__ import annotations

import dataclasses

from tlcourse.cli.demo_text import demo_lines
from tlcourse.examples.demo import DemoReport, OutputLine, PassLine, PipeLine

REPORT = DemoReport(
    served="simulated",
    served_reason="torch_npu is not installed",
    mode="Expert",
    backend="embedded",
    shape={"M": 1024, "block_M": 128},
    passes=(
        PassLine(phase="tir", name="Simplify", origin="embedded", status="unchanged"),
        PassLine(phase="npuir", name="hivm-plan-memory", origin="embedded", status="changed"),
    ),
    outputs=(OutputLine(name="C", max_error="2.0e-07", limit="1e-04", agrees=True),),
    findings=(),
    chip="Ascend910B1",
    cycles=18500,
    nanoseconds=10000,
    pipes=(PipeLine(agent="aic", pipe="M", busy_percent=50),),
)


def test_lines() -> None:
    assert demo_lines(REPORT) == [
        "tilelang and torch_npu are simulated: torch_npu is not installed",
        "MiniCV, Expert form, embedded back half: M 1024, block_M 128",
        "",
        "passes: 2, of which 1 changed the IR (*)",
        "    tir      Simplify",
        "  * npuir    hivm-plan-memory",
        "",
        "numbers",
        "  C: equal to torch, largest error 2.0e-07, limit 1e-04",
        "findings: none",
        "",
        "simulated time on Ascend910B1: 10.0 us (18,500 cycles)",
        "pipe use, mean over the cores",
        "  aic   M       50 % ###############",
    ]


def test_wrong_numbers_and_findings_are_told() -> None:
    wrong = dataclasses.replace(
        REPORT,
        outputs=(dataclasses.replace(REPORT.outputs[0], agrees=False),),
        findings=("TL501: out of bounds",),
    )
    assert not wrong.agrees
    lines = demo_lines(wrong)
    assert "  C: DIFFERS from torch, largest error 2.0e-07, limit 1e-04" in lines
    assert lines[lines.index("findings: 1") + 1] == "  TL501: out of bounds"
