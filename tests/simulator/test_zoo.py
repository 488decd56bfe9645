"""The zoo: each fault is told once, in words that are kept; what is correct is not disturbed.

`TLCOURSE_REGENERATE=1 pytest tests/simulator/test_zoo.py` writes the texts anew.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tlcourse.records import to_json

HERE = Path(__file__).parent
REGENERATE = os.environ.get("TLCOURSE_REGENERATE") == "1"
FAULTY = ("pipes", "cores", "flags", "memory", "limits", "blocks")
CORRECT = ("tricky", "tricky_cores")
# Several causes, told one by one.
TWO_FAULTS = {
    "two_faults": ["TL521", "TL528"],
    "last_rows_are_read_outside_and_one_never_written": ["TL501", "TL528"],
}
# What no kernel can bring about in the simulator; the words are in test_other_words.
ELSEWHERE = {"TL507", "TL530"}
TOLERANCE = {torch.float16: 1e-3, torch.float32: 1e-4}
STEADY = (
    "load_before_vector",
    "cube_overwrites_what_the_vectors_read",
    "both_cores_wait_first",
    "block_reads_what_its_neighbour_writes",
    "tail_of_the_tile_is_empty",
    "two_faults",
    "one_tile_primed_before_the_loop",
    "workspace_that_is_handed_back",
    "blocks_meet_at_a_barrier",
)


def _zoo(name: str) -> ModuleType:
    if str(HERE) not in sys.path:
        sys.path.append(str(HERE))
    return importlib.import_module(f"zoo.{name}")


def _cases(*names: str) -> list[object]:
    return [
        pytest.param(case, id=case.name)
        for name in names
        for case in _zoo(name).TABLE.cases.values()
    ]


def _codes(text: str) -> list[str]:
    return re.findall(r"^(?:error|warning)\[(TL\d+)\]", text, flags=re.MULTILINE)


@pytest.mark.parametrize("case", _cases(*FAULTY))
def test_a_fault_is_told_in_these_words(case) -> None:
    text = case.text()
    if REGENERATE:
        case.golden.write_text(text, encoding="utf-8")
    assert text == case.golden.read_text(encoding="utf-8")
    assert len(_codes(text)) == len(TWO_FAULTS.get(case.name, [""]))


@pytest.mark.parametrize("case", _cases(*FAULTY))
def test_all_blocks_checked_give_the_same_words(case) -> None:
    assert case.text("all") == case.golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("checks", ["class", "all"])
@pytest.mark.parametrize("case", _cases(*CORRECT))
def test_correct_kernels_give_no_finding_and_right_numbers(case, checks: str) -> None:
    program, _ = case.program()
    ran = case.launch(program, checks)
    assert ran.codes == []
    for name, wanted in case.wanted(ran.before).items():
        torch.testing.assert_close(
            ran.after[name], wanted, rtol=TOLERANCE[wanted.dtype], atol=TOLERANCE[wanted.dtype]
        )


def test_the_zoo_is_large() -> None:
    assert len(_cases(*FAULTY)) >= 40
    assert len(_cases(*CORRECT)) >= 20


def test_no_words_without_a_kernel() -> None:
    names = {case.values[0].name for case in _cases(*FAULTY)}
    golden = _zoo("case").GOLDEN
    assert {path.stem for path in golden.glob("*.txt")} == names


def test_two_faults_are_two_findings() -> None:
    golden = _zoo("case").GOLDEN
    found = {name: _codes((golden / f"{name}.txt").read_text("utf-8")) for name in TWO_FAULTS}
    assert found == TWO_FAULTS


def test_every_code_of_the_simulator_is_in_the_zoo() -> None:
    """The page of errors has all codes; some belong to other parts."""
    page = (HERE.parents[1] / "docs" / "errors.md").read_text("utf-8")
    known = {code for code in re.findall(r"^## (TL5\d\d)", page, flags=re.MULTILINE)}
    golden = _zoo("case").GOLDEN.glob("*.txt")
    seen = {code for path in golden for code in _codes(path.read_text("utf-8"))}
    assert known - seen == ELSEWHERE


@pytest.mark.parametrize("name", list(_zoo("fixes").FIXES))
def test_the_advice_helps(name: str) -> None:
    """What the finding says is done to the kernel's text, and nothing is found any more."""
    case = next(c.values[0] for c in _cases(*FAULTY) if c.values[0].name == name)
    changed = case.changed(*_zoo("fixes").FIXES[name])
    program, _ = changed.program()
    assert changed.launch(program, "all").codes == []


@pytest.mark.parametrize("name", STEADY)
def test_twenty_runs_give_the_same_words_and_cycles(name: str) -> None:
    case = next(c.values[0] for c in _cases(*FAULTY, *CORRECT) if c.values[0].name == name)
    program, _ = case.program()
    runs = [case.launch(program).run for _ in range(20)]
    assert len({to_json(run) for run in runs}) == 1
    assert {case.text() for _ in range(20)} == {case.text("all")}


SCRIPT = """
import hashlib, importlib, sys
sys.path.insert(0, {folder!r})
from tlcourse.diagnostics import TLError
from tlcourse.examples.course import COURSE
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import to_json
from tlcourse.simulator.run import run
seen = hashlib.sha256()
for group in {groups!r}:
    for case in importlib.import_module("zoo." + group).TABLE.cases.values():
        seen.update(case.text().encode())
        try:
            program, _ = case.program()
            seen.update(to_json(program).encode())
            seen.update(to_json(case.launch(program).run).encode())
        except TLError:
            continue
for kernel in COURSE:
    program = compile_kernel(kernel.func, mode=kernel.mode).program()
    seen.update(to_json(run(program, kernel.arguments()[0], symbols={{}})).encode())
print(seen.hexdigest())
"""


@pytest.mark.slow
def test_other_hash_seeds_give_the_same_words_and_cycles() -> None:
    """All of the zoo and of the course, from the text of the kernel to the last cycle."""
    code = SCRIPT.format(folder=str(HERE), groups=(*FAULTY, *CORRECT))
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "TILELANG_DISABLE_CACHE": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
