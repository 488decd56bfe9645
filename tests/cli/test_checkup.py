"""`tlcourse doctor`: each fact, and what it says about a thing that is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from tlcourse import finder
from tlcourse.build import workspace
from tlcourse.cli import app, checkup
from tlcourse.cli.checkup import check_up, check_up_quickly
from tlcourse.cli.facts import Fact
from tlcourse.diagnostics import error
from tlcourse.grading import protection
from tlcourse.grading.protection import Protection


def by_name() -> dict[str, Fact]:
    return {fact.name: fact for fact in check_up_quickly()}


def no_program(*args: object, **options: object) -> None:
    raise FileNotFoundError


NAMED_BY_THE_ISSUE = {
    *("python", "architecture", "torch", "widgets", "trust", "Chinese font", "memory", "port"),
    *("torch_npu", "bishengir-opt", "sandbox"),
}


@pytest.mark.slow
def test_every_thing_is_looked_at_and_has_a_fix_unless_it_is_well() -> None:
    facts = check_up()
    assert {fact.name for fact in facts} >= NAMED_BY_THE_ISSUE
    assert [fact for fact in facts if (fact.state == "ok") != (fact.fix == "")] == []


def test_needed_things_are_found_here() -> None:
    facts = by_name()
    for name in ("python", "torch", "xdsl", "numpy", "architecture", "course files", "port"):
        assert facts[name].state == "ok"
        assert facts[name].fix == ""


def test_the_serving_side_is_named_with_its_reason() -> None:
    assert by_name()["tilelang"].found.startswith("served by ")


def test_a_wrong_backend_is_told_with_its_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong() -> None:
        raise error("TL701", "TLCOURSE_BACKEND=x is not one", why="", fix="")

    monkeypatch.setattr(finder, "decision", wrong)
    fact = by_name()["tilelang"]
    assert fact.state == "missing"
    assert "TLCOURSE_BACKEND" in fact.fix


def test_missing_programs_are_optional_and_have_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(subprocess, "run", no_program)
    facts = by_name()
    for name in ("chromium", "Chinese font"):
        assert facts[name].state == "optional"
        assert facts[name].fix.startswith("sudo apt-get install ")


@pytest.mark.parametrize(
    ("extra", "loss", "state"), [("", "", "missing"), ("class", "no classes", "optional")]
)
def test_a_missing_package(extra: str, loss: str, state: str) -> None:
    fact = checkup.package("no_such_package", extra=extra, loss=loss)()
    assert fact.state == state
    assert "No module named 'no_such_package'" in fact.found
    assert ('"nbgrader>=0.9.5"' if extra else '"torch<2.14,>=2.13"') in fact.fix


def test_torch_npu_without_cann(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup.importlib.metadata, "version", lambda name: "2.9.0")
    monkeypatch.setattr(finder, "has_cann", lambda: False)
    fact = checkup._torch_npu()
    assert fact.state == "optional"
    assert "2.9.0 without CANN" in fact.found
    assert "TORCH_DEVICE_BACKEND_AUTOLOAD" in fact.fix
    monkeypatch.setattr(finder, "has_cann", lambda: True)
    assert checkup._torch_npu().state == "ok"


def test_no_course_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise error("TL707", "the course's notebooks are not here", why="", fix="")

    monkeypatch.setattr(workspace, "course_folder", none)
    fact = checkup._course()
    assert (fact.state, fact.found) == ("missing", "the course's notebooks are not here")
    assert "--force-reinstall" in fact.fix


def test_widgets_that_jupyterlab_does_not_know(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import jupyter_core.paths

    monkeypatch.setattr(jupyter_core.paths, "jupyter_path", lambda name: [str(tmp_path)])
    assert "JupyterLab lacks anywidget" in checkup._widgets().found
    for name in ("anywidget", "@jupyter-widgets/jupyterlab-manager"):
        (tmp_path / name).mkdir(parents=True)
    assert checkup._widgets().state == "ok"


def test_trust_that_cannot_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    assert checkup._trust().state == "ok"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "file"))
    fact = checkup._trust()
    assert fact.state == "optional"
    assert "JUPYTER_DATA_DIR" in fact.fix


def test_a_real_compiler_that_does_not_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "bishengir-opt"
    tool.write_text("")
    monkeypatch.setattr("tlcourse.bishengir.find_tool", lambda: tool)
    done = subprocess.CompletedProcess([], 127, "", "libstdc++ is too old")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    fact = checkup._bishengir()
    assert fact.state == "optional"
    assert "libstdc++ is too old" in fact.found
    done.returncode = 0
    assert checkup._bishengir().state == "ok"
    monkeypatch.setattr("tlcourse.bishengir.find_tool", lambda: None)
    monkeypatch.setattr(checkup.sys, "platform", "linux")
    assert '"ascendnpu-ir==1.2.0"' in checkup._bishengir().fix


def test_a_sandbox_with_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[bool] = []
    parent = SimpleNamespace(stop=lambda: stopped.append(True))
    weak = Protection(how="landlock", off=("no network",), forks=True)
    monkeypatch.setattr(protection, "parent_here", lambda: parent)
    monkeypatch.setattr(protection, "protection_of", lambda parent: weak)
    fact = checkup._sandbox()
    assert fact.state == "optional"
    assert "landlock; off: no network" in fact.found
    assert stopped == [True]


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
