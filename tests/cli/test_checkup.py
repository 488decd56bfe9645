"""`tlcourse doctor`: each fact, and what it says about a thing that is missing."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from tlcourse.cli import app, checkup
from tlcourse.cli.checkup import Fact, check_up


def by_name() -> dict[str, Fact]:
    return {fact.name: fact for fact in check_up()}


def test_needed_things_are_found_here() -> None:
    facts = by_name()
    for name in ("python", "torch", "xdsl", "numpy"):
        assert facts[name].state == "ok"
        assert facts[name].fix == ""


def test_the_serving_side_is_named_with_its_reason() -> None:
    assert by_name()["tilelang"].found.startswith("served by ")


def test_missing_programs_are_optional_and_have_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)

    def no_program(*args: object, **options: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", no_program)
    facts = by_name()
    for name in ("chromium", "Chinese font", "bubblewrap"):
        assert facts[name].state == "optional"
        assert facts[name].fix.startswith("sudo apt-get install ")


@pytest.mark.parametrize(
    ("extra", "loss", "state"), [("", "", "missing"), ("class", "no classes", "optional")]
)
def test_a_missing_package(extra: str, loss: str, state: str) -> None:
    fact = checkup.package("no_such_package", extra=extra, loss=loss)()
    assert fact.state == state
    assert "No module named 'no_such_package'" in fact.found
    assert fact.fix.endswith('"tlcourse[class]"' if extra else '"tlcourse"')


def test_doctor_fails_only_when_something_needed_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    optional = Fact(name="a", state="optional", found="", fix="get a")
    missing = Fact(name="b", state="missing", found="", fix="get b")
    monkeypatch.setattr(checkup, "check_up", lambda: (optional,))
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 0
    assert "fix: get a" in shown.output
    monkeypatch.setattr(checkup, "check_up", lambda: (optional, missing))
    assert CliRunner().invoke(app, ["doctor"]).exit_code == 1


def test_doctor_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = (Fact(name="a", state="ok", found="1"),)
    monkeypatch.setattr(checkup, "check_up", lambda: facts)
    shown = CliRunner().invoke(app, ["doctor", "--json"])
    assert json.loads(shown.output) == [{"name": "a", "state": "ok", "found": "1", "fix": ""}]
