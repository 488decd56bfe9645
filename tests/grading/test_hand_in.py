"""Whole hand-ins through the sandbox: mutants, cheats, and what must not stop the grader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.grading.hand_ins import (
    EXPERT,
    MUTANTS,
    SOLUTION,
    UNTOUCHED,
    Mutant,
    leaked,
    mutated,
    write,
)
from tlcourse.grading.hand_in import grade_notebook
from tlcourse.grading.report import as_text
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.spec import load

QUICK = Limits(cpu_seconds=8, wall_seconds=20)


def test_every_mutant_of_the_spec_has_its_hand_in() -> None:
    assert tuple(mutant.name for mutant in MUTANTS) == load("d2.minicv").mutants


def test_the_solution_earns_all_points_and_an_untouched_exercise_none() -> None:
    verdict = grade_notebook(SOLUTION)
    assert (verdict.state, verdict.points, verdict.mode) == ("PASS", 15.0, "Developer")
    assert len(verdict.checks) == 6
    verdict = grade_notebook(UNTOUCHED)
    assert (verdict.state, verdict.points) == ("TODO", 0.0)


def test_the_expert_solution_earns_all_points(tmp_path: Path) -> None:
    verdict = grade_notebook(write(tmp_path / "expert.ipynb", EXPERT))
    assert (verdict.state, verdict.points, verdict.mode) == ("PASS", 15.0, "Expert")


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutants_are_named(mutant: Mutant, tmp_path: Path) -> None:
    verdict = grade_notebook(write(tmp_path / "mutant.ipynb", mutated(mutant)))
    assert verdict.state == mutant.state
    assert verdict.points < verdict.max_points
    assert mutant.said in as_text(verdict)
    assert not leaked(verdict)


def test_a_missing_wait_shows_the_line_that_reads_too_early(tmp_path: Path) -> None:
    source = mutated(next(mutant for mutant in MUTANTS if mutant.name == "wait_removed"))
    verdict = grade_notebook(write(tmp_path / "mutant.ipynb", source))
    check = next(check for check in verdict.checks if check.state == "FAIL")
    assert check.span is not None
    assert "T.copy(C[row" in source.splitlines()[check.span.line - 1]


CHEATS = {
    "endless": ("while True: pass", "TIMEOUT", "did not end within 8 seconds"),
    "ended": ("os._exit(0)", "FAIL", "ended the Python process"),
    "exit": ("raise SystemExit(3)", "FAIL", "SystemExit: 3 (line 1)"),
    "memory": ("x = bytearray(2**40)", "FAIL", "smaller tensors"),
    "raised": ("a = 1\n1 / 0", "FAIL", "division by zero (line 2)"),
    "syntax": ("def (", "FAIL", "SyntaxError"),
    "none": ("def minicv(M, N, K): return None", "FAIL", "TL607: minicv(..) returns None"),
    "missing": ("x = 1", "FAIL", "TL607: minicv is not defined"),
    "number": ("minicv = 3", "FAIL", "TL607: minicv is a int"),
    "forged": (
        "open('result.json', 'w').write('{}'); os._exit(0)",
        "FAIL",
        "a result behind that tracing a kernel does not make",
    ),
    "link": (
        "os.symlink('hand_in.json', 'result.json'); os._exit(0)",
        "FAIL",
        "a result behind that tracing a kernel does not make",
    ),
    "killed": ("os.kill(os.getpid(), 9)", "FAIL", "system stopped the cell"),
    "loud": ("print('x' * 10**8)\ndef minicv(M, N, K): ...", "FAIL", "TL607"),
    "arguments": ("def minicv(M): ...", "FAIL", "TypeError"),
}


def _slow_if_endless(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.slow) if CHEATS[name][1] == "TIMEOUT" else name


@pytest.mark.parametrize("name", [_slow_if_endless(name) for name in CHEATS])
def test_cheats_and_accidents_get_a_verdict(name: str, tmp_path: Path) -> None:
    source, state, said = CHEATS[name]
    verdict = grade_notebook(write(tmp_path / "cheat.ipynb", source), limits=QUICK)
    assert (verdict.state, verdict.points) == (state, 0.0)
    assert said in as_text(verdict)


WRONG_PARAMETERS = {
    "dtype": ('A: T.Tensor((M, K), "float16")', 'A: T.Tensor((M, K), "bfloat16")', "TL605"),
    "shape": ("D: T.Tensor((M, N)", "D: T.Tensor((N + M, N)", "TL605"),
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_parameters_that_are_not_the_tasks_are_named(name: str, tmp_path: Path) -> None:
    old, new, code = WRONG_PARAMETERS[name]
    assert old in EXPERT
    verdict = grade_notebook(write(tmp_path / "x.ipynb", EXPERT.replace(old, new)))
    assert verdict.state == "FAIL"
    assert code in as_text(verdict)


def test_kernels_for_other_shapes_are_refused(tmp_path: Path) -> None:
    fixed = EXPERT.replace("def minicv(M, N, K,", "def fixed(M, N, K,")
    source = f"{fixed}\nkept = fixed(256, 256, 256)\ndef minicv(M, N, K): return kept"
    verdict = grade_notebook(write(tmp_path / "x.ipynb", source))
    assert verdict.state == "PARTIAL"
    assert "TL605" in as_text(verdict)


def test_workspaces_have_a_limit(tmp_path: Path) -> None:
    with_workspace = EXPERT.replace(
        'D: T.Tensor((M, N), "float32"),',
        'D: T.Tensor((M, N), "float32"),\n        W: T.Tensor((M, 1000000), "float32"),',
    )
    verdict = grade_notebook(write(tmp_path / "x.ipynb", with_workspace))
    assert "TL606" in as_text(verdict)


def test_of_two_solution_cells_the_last_counts(tmp_path: Path) -> None:
    verdict = grade_notebook(write(tmp_path / "two.ipynb", "1 / 0", EXPERT))
    assert (verdict.state, verdict.points) == ("PASS", 15.0)
    assert "2 solution cells" in verdict.checks[-1].reason


def test_what_is_no_notebook_gets_a_verdict(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("no notebook", encoding="utf-8")
    verdict = grade_notebook(path)
    assert (verdict.exercise, verdict.state) == ("x", "FAIL")
    assert "TL610" in verdict.checks[0].reason


def test_an_unknown_exercise_gets_a_verdict(tmp_path: Path) -> None:
    path = write(tmp_path / "x.ipynb", EXPERT)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    text = json.dumps(notebook).replace("d2-minicv", "d2-nothing")
    path.write_text(text, encoding="utf-8")
    verdict = grade_notebook(path)
    assert "TL601" in verdict.checks[0].reason


def test_verdicts_are_the_same_each_time(tmp_path: Path) -> None:
    path = write(tmp_path / "x.ipynb", mutated(MUTANTS[1]))
    assert grade_notebook(path) == grade_notebook(path)


def test_chinese_verdicts(tmp_path: Path) -> None:
    path = write(tmp_path / "x.ipynb", mutated(MUTANTS[1]))
    verdict = grade_notebook(path, language="zh")
    assert "漏掉了 exp" in as_text(verdict, "zh")
