"""Starts JupyterLab on a working copy of the course, and checks that a machine can do it.

`check_lab` does what a learner does first: it starts the server, opens the MiniCV notebook
over HTTP, runs the first cell in a kernel, and stops everything again.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from tlcourse.build.labclient import LabClient
from tlcourse.build.workspace import START, course_folder, make_workspace, write_settings
from tlcourse.chinese import chosen_language
from tlcourse.diagnostics import error

DEFAULT_FOLDER = "tlcourse-lab"
FIRST_NOTEBOOK = "notebooks/day2/04_fusion.ipynb"
START_LIMIT_S = 90
CELL_LIMIT_S = 120
STOP_LIMIT_S = 20


def run_lab(
    port: int | None = None, browser: bool = True, folder: Path = Path(DEFAULT_FOLDER)
) -> int:
    """Makes or updates the working copy, then runs JupyterLab on it until it is stopped.

    Args:
        port: port to serve on; JupyterLab chooses one if None.
        browser: whether a browser opens.
        folder: the working copy.

    Returns:
        JupyterLab's exit code.

    Raises:
        TL705: JupyterLab is not installed.
        TL707: the course's notebooks are not here.
    """
    _need_jupyterlab()
    newer = make_workspace(folder).newer
    if newer:
        print(f"the course has newer text for {len(newer)} files that you changed.")
        print("What you wrote is kept. To see what is new: tlcourse update --dry-run")
    command = lab_command(folder, _settings_folder(folder), port=port, browser=browser)
    return subprocess.call(command)


def check_lab() -> list[str]:
    """Starts the server, opens a notebook, runs its first cell, stops; what was seen, by line.

    Raises:
        TL705: JupyterLab is not installed.
        TL706: the server did not start.
        TL707: the course's notebooks are not here.
        TL708: the server does not give the notebook out.
        TL709: the first cell did not run.
    """
    _need_jupyterlab()
    if not (course_folder() / FIRST_NOTEBOOK).exists():
        raise error(
            "TL707",
            f"{FIRST_NOTEBOOK} is not in {course_folder()}",
            why="the check opens this notebook and runs its first cell",
            fix="run `tlcourse build` in a checkout, or install tlcourse again",
        )
    with tempfile.TemporaryDirectory(prefix="tlcourse-lab-", ignore_cleanup_errors=True) as temp:
        return _check_in(Path(temp))


def lab_command(
    folder: Path, settings: Path, *, port: int | None = None, browser: bool = True, token: str = ""
) -> list[str]:
    """The command line that serves `folder` and opens START_HERE, with the course's settings."""
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.app_settings_dir={settings.resolve()}",
    ]
    first = START[1] if chosen_language() == "zh" else START[0]
    if (folder / first).is_file():
        command.append(f"--LabApp.default_url=/lab/tree/{first}")
    if port is not None:
        command.append(f"--ServerApp.port={port}")
    if not browser:
        command.append("--no-browser")
    if token:
        command.append(f"--IdentityProvider.token={token}")
    if getattr(os, "geteuid", lambda: 1)() == 0:
        command.append("--allow-root")  # in a container there is often no other user
    return command


def _check_in(temp: Path) -> list[str]:
    # A data folder of its own: the check leaves no signature and no run-time file behind.
    environment = os.environ | {
        "JUPYTER_DATA_DIR": str(temp / "data"),
        "JUPYTER_CONFIG_DIR": str(temp / "config"),
        "JUPYTER_RUNTIME_DIR": str(temp / "runtime"),
    }
    work = temp / DEFAULT_FOLDER
    copied = len(make_workspace(work, trust_folder=temp / "data").written)
    client = LabClient(port=free_port(), token=secrets.token_hex(16))
    command = lab_command(
        work, _settings_folder(work), port=client.port, browser=False, token=client.token
    )
    with serve(command, environment, client, temp / "server.log"):
        code = client.first_code_cell(FIRST_NOTEBOOK)
        client.run_code(code, limit_s=CELL_LIMIT_S)
        client.shut_down()
    return [
        f"working copy: {copied} files",
        f"server: JupyterLab answered on port {client.port}",
        f"notebook: {FIRST_NOTEBOOK} opened over HTTP",
        "kernel: ran the first code cell",
        "stopped",
    ]


@contextmanager
def serve(
    command: list[str], environment: dict[str, str], client: LabClient, log: Path
) -> Generator[None, None, None]:
    """Runs the server around a block; it is gone afterwards in every case."""
    with log.open("wb") as sink:
        process = subprocess.Popen(command, env=environment, stdout=sink, stderr=sink)
        try:
            _wait_until_up(process, client, log)
            yield
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_LIMIT_S)
        finally:
            _stop(process)


def _wait_until_up(process: subprocess.Popen[bytes], client: LabClient, log: Path) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while not client.is_up():
        if process.poll() is None and time.monotonic() < limit:
            time.sleep(0.2)
            continue
        state = "is silent" if process.poll() is None else f"ended with {process.returncode}"
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
        raise error(
            "TL706",
            f"JupyterLab did not start within {START_LIMIT_S} s: the server {state}",
            why=f"its last words were:\n{tail}",
            fix=f"run `{sys.executable} -m jupyterlab --no-browser` and read what it says",
        )


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _settings_folder(folder: Path) -> Path:
    settings = folder / ".jupyterlab"
    write_settings(settings)
    return settings


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _need_jupyterlab() -> None:
    if find_spec("jupyterlab") is None:
        raise error(
            "TL705",
            "JupyterLab is not installed",
            why="it comes with the extra `notebooks`",
            fix='pip install "tlcourse[notebooks]"',
        )
