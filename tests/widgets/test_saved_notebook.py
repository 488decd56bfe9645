"""One notebook with every widget: nbval compares its outputs, and it reads without a kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.widgets.everything import CASES, ROOT, run_and_save

pytestmark = pytest.mark.slow

SCRIPTED = 5  # passes, timeline, grid, replay, quiz: the others are figures


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_and_save(tmp_path_factory.mktemp("saved"))


def outputs(path: Path) -> list[dict[str, Any]]:
    """The bundle that each widget cell put out."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"][1:]
    return [cell["outputs"][0]["data"] for cell in cells]


def test_every_widget_has_a_text_and_a_twin_that_reads_without_a_script(saved: Path) -> None:
    found = outputs(saved)
    assert len(found) == len(CASES)
    views = 0
    for bundle, (name, says) in zip(found, CASES.values(), strict=True):
        text, page = "".join(bundle["text/plain"]), "".join(bundle["text/html"])
        assert text.startswith(name)
        assert says in page
        assert "<script" not in page
        views += "application/vnd.jupyter.widget-view+json" in bundle
    assert views == SCRIPTED


def test_nbval_finds_the_same_outputs_again(saved: Path) -> None:
    command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [*command, "--rootdir", saved.parent, saved],
        cwd=saved.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{len(CASES) + 1} passed" in done.stdout, done.stdout[-3000:]
    broken = json.loads(saved.read_text(encoding="utf-8"))
    broken["cells"][6]["outputs"][0]["data"]["text/html"] = "<p>other</p>"
    other = saved.with_name("broken.ipynb")
    other.write_text(json.dumps(broken), encoding="utf-8")
    again = subprocess.run(
        [*command, "--rootdir", saved.parent, other],
        cwd=saved.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"1 failed, {len(CASES)} passed" in again.stdout, again.stdout[-3000:]
