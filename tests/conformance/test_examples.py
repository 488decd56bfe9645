"""Suite examples on a small checkout."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.conformance import Settings, examples
from tlcourse.conformance.known import Example, example, example_names


@pytest.fixture
def settings(checkout: Path) -> Settings:
    return Settings(suite="examples", folder=checkout)


def test_files_without_a_check_are_no_examples(checkout: Path) -> None:
    names = [f"sums/{name}.py" for name in ("asks", "memory", "right", "wrong")]
    assert examples.examples(checkout) == names


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("right", "passed", ""),
        ("wrong", "failed", "AssertionError: wrong sum"),
        ("asks", "failed", "the process ended (exit code 3)"),
    ],
)
def test_outcomes(settings: Settings, name: str, outcome: str, reason: str) -> None:
    case = examples.run_one(settings, f"sums/{name}.py")
    assert case.outcome == outcome
    assert case.reason.startswith(reason)


@pytest.mark.skipif(sys.platform == "win32", reason="no memory limits there")
def test_memory_is_limited(settings: Settings) -> None:
    case = examples.run_one(replace(settings, memory_limit_bytes=8 * 2**30), "sums/memory.py")
    assert case.outcome == "failed"
    assert "allocate" in case.reason


def test_the_table_may_give_a_call_or_a_reason(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {
        "sums/right.py": Example(call="assert __name__ == 'right', 'the main block ran'"),
        "sums/asks.py": Example(cannot="asks for two devices"),
    }
    monkeypatch.setattr(examples, "example", rows.__getitem__)
    assert examples.run_one(settings, "sums/right.py").outcome == "passed"
    case = examples.run_one(settings, "sums/asks.py")
    assert (case.outcome, case.reason) == ("cannot", "asks for two devices")


def test_every_row_of_the_table_is_an_example_once_and_starts_one_way() -> None:
    for name in example_names():
        row = example(name)
        ways = [bool(row.arguments), bool(row.call), bool(row.cannot)]
        assert sum(ways) <= 1, name


def test_every_row_of_the_table_stands_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "upstream.md").read_text(encoding="utf-8")
    for name in example_names():
        row = example(name)
        line = next((line for line in page.splitlines() if line.startswith(f"| {name} |")), "")
        assert (row.cannot or row.note) in line, name
        assert bool(row.cannot) == ("| cannot |" in line), name
