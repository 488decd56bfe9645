"""`build`, `hint` and `lab` at the level of arguments and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse.build import course, lab
from tlcourse.cli import app


@pytest.mark.parametrize(
    ("stale", "code", "shown"),
    [([], 0, "all course files are made"), (["a.ipynb: missing"], 1, "a.ipynb: missing")],
    ids=["fresh", "stale"],
)
def test_build_check(
    monkeypatch: pytest.MonkeyPatch, stale: list[str], code: int, shown: str
) -> None:
    monkeypatch.setattr(course, "build", lambda check, again: stale)
    result = CliRunner().invoke(app, ["build", "--check"])
    assert result.exit_code == code
    assert result.output.startswith(shown)


def _hints(*options: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["hint", "d2.minicv", *options])
    return result.exit_code, [line.partition(": ")[0] for line in result.output.splitlines()]


def test_hint_prints_the_first_hint_and_how_to_see_the_next() -> None:
    assert _hints() == (0, ["Hint 1/3", "For the next hint"])
    again = CliRunner().invoke(app, ["hint", "d2.minicv"])
    assert again.output.endswith("tlcourse hint d2.minicv --level 2\n")


def test_hint_prints_any_hint_or_all() -> None:
    assert _hints("--level", "2") == (0, ["Hint 2/3", "For the next hint"])
    assert _hints("--level", "3") == (0, ["Hint 3/3"])
    assert _hints("--all") == (0, ["Hint 1/3", "Hint 2/3", "Hint 3/3"])


def test_a_hint_that_is_not_there_is_refused() -> None:
    for level in ("0", "4"):
        assert _hints("--level", level)[0] == 2
    result = CliRunner().invoke(app, ["hint", "d2.minicv", "--level", "4"])
    assert "d2.minicv has 3 hints" in result.output


def test_lab_passes_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[object] = []

    def run(port: int | None, browser: bool, folder: Path) -> int:
        seen.extend((port, browser, folder))
        return 3

    monkeypatch.setattr(lab, "run_lab", run)
    options = ["--port", "9000", "--no-browser", "--folder", str(tmp_path)]
    assert CliRunner().invoke(app, ["lab", *options]).exit_code == 3
    assert seen == [9000, False, tmp_path]


def test_lab_check_prints_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "check_lab", lambda: ["server: up", "stopped"])
    result = CliRunner().invoke(app, ["lab", "--check"])
    assert (result.exit_code, result.output) == (0, "server: up\nstopped\n")
