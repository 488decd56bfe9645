"""The same input gives the same findings, cycles and text, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tlcourse.records import to_json
from tlcourse.simulator.run import run

SCRIPT = """
import hashlib, sys
import torch
sys.path.insert(0, {folder!r})
import conftest as c
lines = c.VADD.splitlines()
lines[4] = lines[5] = lines[7] = lines[8] = ""
names = [c.tensor(name, "float32", 64) for name in "ABC"]
program = c.Tiny().program(names, vector="\\n".join(lines), blocks=3, out_idx=(2,))
a, out = torch.arange(64.0), torch.zeros(64)
result = c.run(program, [a, a, out], symbols={{}})
text = c.to_json(program) + c.to_json(result)
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.slow
def test_other_hash_seeds_give_the_same_bytes() -> None:
    folder = str(Path(__file__).parent)
    code = SCRIPT.format(folder=folder)
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


def test_twenty_runs_are_equal(helpers) -> None:
    text = helpers.real_text("minicv_developer")
    text = text.replace("hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]\n", "\n", 1)
    parameters = [
        helpers.tensor("A", "float16", 256, 128),
        helpers.tensor("B", "float16", 128, 512),
        helpers.tensor("C", "float32", 256, 512),
        helpers.tensor("D", "float32", 256, 512),
    ]
    program = helpers.program_of(text, helpers.signature(parameters, 4, out_idx=(2, 3)))
    a, b = torch.randn(256, 128).half(), torch.randn(128, 512).half()
    seen: set[str] = set()
    for _ in range(20):
        c, d = torch.zeros(256, 512), torch.zeros(256, 512)
        seen.add(to_json(run(program, [a, b, c, d], symbols={})))
    assert len(seen) == 1
    assert "TL521" in seen.pop()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_findings_do_not_depend_on_the_order_of_the_pipes(
    vadd_launch, vadd_lines: str, seed: int
) -> None:
    lines = vadd_lines.splitlines()
    lines[4] = lines[5] = ""
    text = "\n".join(lines)
    assert vadd_launch(text, seed=seed)[0].findings == vadd_launch(text)[0].findings


def test_another_order_can_hide_a_missing_flag_in_the_numbers(vadd_launch, vadd_lines: str) -> None:
    lines = vadd_lines.splitlines()
    lines[4] = lines[5] = ""
    hidden = []
    for seed in range(1, 20):
        result, c, total = vadd_launch("\n".join(lines), seed=seed)
        assert result.findings, "the clocks see it all the same"
        hidden.append(torch.equal(c, total))
    assert any(hidden)
    assert not all(hidden)
