"""The forge's workflow does what .ci/run does: the same steps, commands, limits and packages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
)
(JOB,) = WORKFLOW["jobs"].values()
STEP = re.compile(r'^step "([^"]+)" (?:timeout (\d+) )?(.+)$', re.MULTILINE)
PACKAGES = "system packages"


def of_the_script() -> list[tuple[str, str, int | None]]:
    """Name, command and seconds of each step of .ci/run."""
    rows = STEP.findall(SCRIPT)
    return [(name, command, int(limit) if limit else None) for name, limit, command in rows]


def of_the_workflow() -> list[tuple[str, str, int | None]]:
    """Name, command and seconds of each step of the forge's job."""
    return [
        (one["name"], one["run"], 60 * one["timeout-minutes"] if "timeout-minutes" in one else None)
        for one in JOB["steps"]
        if "run" in one
    ]


def test_the_steps_are_the_same() -> None:
    script, forge = of_the_script(), of_the_workflow()
    assert [name for name, _, _ in script][:3] == [PACKAGES, "setup", "tests"]
    assert [one[0] for one in forge] == [one[0] for one in script]
    assert [one for one in forge if one[0] != PACKAGES] == [
        one for one in script if one[0] != PACKAGES
    ]


def test_the_system_packages_are_the_same() -> None:
    wanted = set(re.findall(r"wanted\+=\((\S+)\)", SCRIPT))
    line = next(command for name, command, _ in of_the_workflow() if name == PACKAGES)
    assert set(line.partition("install -y -qq ")[2].split()) == wanted
    assert len(wanted) == 3


def test_variables_and_the_whole_limit_are_the_same() -> None:
    exported = dict(re.findall(r"^export (\w+)=(\S+)$", SCRIPT, re.MULTILINE))
    assert JOB["env"] == exported
    assert f"under {JOB['timeout-minutes']} minutes" in SCRIPT


def test_the_image_has_the_python_of_the_environment() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    python = re.search(r"python=([\d.]+)", text)
    assert python
    assert JOB["container"]["image"].startswith(f"python:{python[1]}-")
