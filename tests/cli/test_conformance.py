"""`conformance` at the level of arguments, tables and exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tlcourse.cli import app
from tlcourse.cli.conformance_text import report_lines
from tlcourse.conformance import Case, Report
from tlcourse.conformance.results import Suite
from tlcourse.diagnostics import TLError
from tlcourse.records import from_json


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "upstream" / "examples" / "sums"
    folder.mkdir(parents=True)
    (folder / "right.py").write_text("if __name__ == '__main__':\n    pass\n")
    (folder / "wrong.py").write_text("if __name__ == '__main__':\n    raise ValueError('no')\n")
    return tmp_path / "upstream"


def conformance(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["conformance", *arguments])


def test_a_failure_gives_the_table_and_exit_code_1(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = conformance(str(checkout), "--suite", "examples", "--json", str(out))
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[:3] == [
        "folder   cases  passed  failed  cannot",
        "sums         2       1       1       0",
        "total        2       1       1       0",
    ]
    assert "     1  ValueError: no" in lines
    report = from_json(Report, out.read_text(encoding="utf-8"))
    assert [(case.name, case.outcome) for case in report.cases] == [
        ("sums/right.py", "passed"),
        ("sums/wrong.py", "failed"),
    ]


def test_all_wanted_pass_gives_0(checkout: Path) -> None:
    assert conformance(str(checkout), "--suite", "examples", "--only", "right").exit_code == 0


@pytest.mark.parametrize("arguments", [("/nowhere", "--suite", "npuir"), (".", "--suite", "all")])
def test_misuse(arguments: tuple[str, ...]) -> None:
    assert conformance(*arguments).exit_code == 2


def test_a_name_that_no_case_has_is_an_error(checkout: Path) -> None:
    problem = conformance(str(checkout), "--suite", "examples", "--only", "nothing").exception
    assert isinstance(problem, TLError)
    assert problem.code == "TL717"
    assert "whose name holds 'nothing'" in problem.diagnostic.what


@pytest.mark.parametrize("words", [("--suite", "npuir"), ("--suite", "lit", "--only", "x")])
def test_a_page_is_of_the_whole_suite_lit(words: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "page.md"
    result = conformance(str(tmp_path), *words, "--page", str(out))
    assert result.exit_code == 2
    assert "--page" in result.output
    assert not out.exists()


@pytest.mark.parametrize("suite", ["lit", "goldens"])
def test_suites_that_run_no_kernel_name_no_execution(suite: Suite) -> None:
    report = Report(suite=suite, execution="functional", backend="embedded", seconds=1.0, cases=())
    assert report_lines(report)[-1] == f"suite {suite}, 1 s"


def test_the_help_says_what_runs_and_what_compiles() -> None:
    text = " ".join(conformance("--help").output.replace("│", " ").split())
    for name in ("--suite", "--execution", "--backend", "--jobs", "--limit", "--only", "--json"):
        assert name in text
    for words in ("compiled and on the", "<embedded|bishengir>", "[default: embedded]"):
        assert words in text
    assert "finds a fault in its kernel that" in text


def test_findings_stand_below_the_cases_with_their_reason() -> None:
    name = "arith_ops/test_tensor_insert_dev.py::test_insert[float32]"
    found = ("TL523: block 1 writes what block 0 writes, too",)
    case = Case(folder="arith_ops", name=name, outcome="passed", findings=found)
    report = Report(
        suite="npuir", execution="simulator", backend="bishengir", seconds=9.4, cases=(case,)
    )
    lines = report_lines(report)
    assert lines[-6:] == [
        "",
        "findings, as known",
        "     1  TL523: all 4 blocks store the same whole tensor",
        f"          {name}",
        "",
        "suite npuir, execution simulator, backend bishengir, 9 s",
    ]


def test_a_missing_folder_for_the_data_is_misuse_before_anything_runs(checkout: Path) -> None:
    out = checkout / "none" / "x.json"
    result = conformance(str(checkout), "--suite", "examples", "--json", str(out))
    assert result.exit_code == 2
    assert "there is no folder" in result.output


def test_reasons_are_grouped_and_long_groups_cut() -> None:
    def case(name: str, reason: str) -> Case:
        return Case(
            folder="a", name=name, outcome="failed", reason=reason, steps={"verified": True}
        )

    cases = tuple(case(str(n), "TL501: the kernel reads A[4]") for n in range(5))
    report = Report(
        suite="goldens", execution="functional", backend="embedded", seconds=61.2, cases=cases
    )
    lines = report_lines(report)
    assert "verified: 5 of 5" in lines
    assert "     5  TL501: the kernel reads A[4]" in lines
    assert "          and 2 more" in lines
    assert lines[-1] == "suite goldens, 61 s"
