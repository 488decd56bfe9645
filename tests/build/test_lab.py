"""The lab on a small course: one real server, started once, and each way it can fail."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tlcourse.build import lab, workspace
from tlcourse.build.labclient import LabClient
from tlcourse.diagnostics import TLError

PLUGIN = "@jupyter-widgets/jupyterlab-manager:plugin"


def write_course(folder: Path, code: str) -> Path:
    """A course whose first notebook begins with prose and then this code."""
    path = folder / lab.FIRST_NOTEBOOK
    path.parent.mkdir(parents=True)
    cells = [new_markdown_cell("A lesson."), new_code_cell(code), new_code_cell("1 / 0")]
    nbformat.write(new_notebook(cells=cells), path)
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Generator[LabClient, None, None]:
    """A client of a server that runs on a working copy."""
    temp = tmp_path_factory.mktemp("lab")
    course = write_course(temp / "course", "import tlcourse")
    environment = os.environ | {
        f"JUPYTER_{kind}_DIR": str(temp / kind) for kind in ("DATA", "CONFIG")
    }
    workspace.make_workspace(temp / "work", course, temp / "DATA")
    workspace.write_settings(temp / "settings")
    client = LabClient(port=lab.free_port(), token="secret")
    command = lab.lab_command(
        temp / "work", temp / "settings", port=client.port, browser=False, token=client.token
    )
    with lab.serve(command, environment, client, temp / "server.log"):
        yield client
        client.shut_down()


def test_first_code_cell_comes_over_http(client: LabClient) -> None:
    assert client.first_code_cell(lab.FIRST_NOTEBOOK) == "import tlcourse"


def test_a_missing_notebook_is_an_error(client: LabClient) -> None:
    with pytest.raises(TLError, match=r"notebooks/none\.ipynb out: HTTP Error 404") as caught:
        client.first_code_cell("notebooks/none.ipynb")
    assert caught.value.code == "TL708"


def test_a_kernel_runs_code(client: LabClient) -> None:
    client.run_code("import tlcourse\nassert tlcourse.__version__", limit_s=60)
    assert json.loads(client.request("GET", "/api/kernels")) == []


def test_failing_code_names_the_cause(client: LabClient) -> None:
    with pytest.raises(TLError, match="ModuleNotFoundError: No module named 'nothing'") as caught:
        client.run_code("import nothing", limit_s=60)
    assert caught.value.code == "TL709"


def test_a_silent_kernel_is_given_up(client: LabClient) -> None:
    with pytest.raises(TLError, match="no reply within 2 s") as caught:
        client.run_code("import time\ntime.sleep(60)", limit_s=2)
    assert caught.value.code == "TL709"
    assert json.loads(client.request("GET", "/api/kernels")) == []


def test_a_wrong_token_is_refused(client: LabClient) -> None:
    stranger = LabClient(port=client.port, token="guess")
    assert not stranger.is_up()


def test_the_server_trusts_the_notebook(client: LabClient) -> None:
    model = json.loads(client.request("GET", f"/api/contents/{lab.FIRST_NOTEBOOK}"))
    codes = [cell for cell in model["content"]["cells"] if cell["cell_type"] == "code"]
    assert all(cell["metadata"]["trusted"] for cell in codes)


def test_widgets_are_saved_with_the_notebook(client: LabClient) -> None:
    settings = json.loads(client.request("GET", f"/lab/api/settings/{PLUGIN}"))
    assert settings["schema"]["properties"]["saveState"]["default"] is True


def test_check_runs_the_whole_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = write_course(tmp_path, "x = 1")
    for module in (lab, workspace):
        monkeypatch.setattr(module, "course_folder", lambda: course)
    lines = lab.check_lab()
    assert "kernel: ran the first code cell" in lines
    assert lines[-1] == "stopped"


def test_check_needs_its_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "course_folder", lambda: tmp_path)
    with pytest.raises(TLError) as caught:
        lab.check_lab()
    assert caught.value.code == "TL707"


def test_a_server_that_dies_shows_its_last_words(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such option')"]
    client = LabClient(port=lab.free_port(), token="t")
    with (
        pytest.raises(TLError, match="no such option") as caught,
        lab.serve(command, dict(os.environ), client, tmp_path / "log"),
    ):
        raise AssertionError("the block must not run")
    assert caught.value.code == "TL706"
    assert "ended with 1" in caught.value.diagnostic.what


def test_jupyterlab_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    for start in (lab.run_lab, lab.check_lab):
        with pytest.raises(TLError) as caught:
            start()
        assert caught.value.code == "TL705"


def test_command_carries_port_and_browser_choice(tmp_path: Path) -> None:
    plain = lab.lab_command(tmp_path, tmp_path)
    assert not [part for part in plain if part.startswith(("--ServerApp.port", "--no-browser"))]
    chosen = lab.lab_command(tmp_path, tmp_path, port=9000, browser=False)
    assert "--ServerApp.port=9000" in chosen
    assert "--no-browser" in chosen


@pytest.mark.parametrize(
    ("spoken", "name"), [("", "START_HERE.ipynb"), ("zh", "START_HERE.zh.ipynb")]
)
def test_the_lab_opens_at_start_here(
    spoken: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_LANG", spoken)
    assert not [part for part in lab.lab_command(tmp_path, tmp_path) if "default_url" in part]
    (tmp_path / name).write_text("{}", encoding="utf-8")
    assert f"--LabApp.default_url=/lab/tree/{name}" in lab.lab_command(tmp_path, tmp_path)
