"""Looks at this machine, one fact at a time, for `tlcourse doctor`."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlcourse.cli import checkup_machine as machine
from tlcourse.cli.checkup_machine import set_variable
from tlcourse.cli.facts import Fact, missing, ok, optional, pip_install, python, system_install
from tlcourse.diagnostics import TLError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WIDGETS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


def check_up() -> tuple[Fact, ...]:
    """All facts about this machine, what is needed first."""
    return tuple(check() for check in (*_CHECKS, *_SLOW_CHECKS))


def check_up_quickly() -> tuple[Fact, ...]:
    """The facts that a learner waits for: no trial of the sandbox or of the real compiler."""
    return tuple(check() for check in _CHECKS)


def find_browser() -> str | None:
    """The path of a chromium on this machine, None if there is none."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def package(name: str, *, extra: str = "", loss: str = "") -> Callable[[], Fact]:
    """A check that a Python package is installed and imports."""

    def check() -> Fact:
        try:
            importlib.import_module(name)
            return ok(name, importlib.metadata.version(name))
        except (ImportError, OSError, RuntimeError) as problem:
            if not loss:
                return missing(name, f"{problem}", pip_install(extra, only=name))
            return optional(name, f"{problem}; without it: {loss}", pip_install(extra))

    return check


def _course() -> Fact:
    from tlcourse.build.workspace import course_files, course_folder
    from tlcourse.grading.spec import specs_folder

    try:
        folder = course_folder()
    except TLError as problem:
        return missing("course files", problem.diagnostic.what, _again())
    notebooks = sum(path.suffix == ".ipynb" for path in course_files(folder))
    specs = len(list(specs_folder().rglob("*.toml")))
    if not specs:
        return missing("course files", f"{folder} has no exercises to grade", _again())
    return ok("course files", f"{notebooks} notebooks and {specs} exercise specs in {folder}")


def _again() -> str:
    return f"{python()} -m pip install --force-reinstall --no-deps tlcourse-*.whl"


def _served() -> Fact:
    from tlcourse.finder import VARIABLE, decision

    try:
        now = decision()
    except TLError as problem:
        return missing("tilelang", problem.diagnostic.what, set_variable(VARIABLE, "auto"))
    return ok("tilelang", f"served by {now.served}: {now.reason}")


def _torch_npu() -> Fact:
    from tlcourse.finder import has_cann

    try:
        found = importlib.metadata.version("torch_npu")
    except importlib.metadata.PackageNotFoundError:
        return ok("torch_npu", "not installed; the simulated NPU stands in for it")
    if has_cann():
        return ok("torch_npu", f"{found}, with CANN")
    return optional(
        "torch_npu",
        f"{found} without CANN: torch dies of it in programs that do not import tlcourse first",
        set_variable("TORCH_DEVICE_BACKEND_AUTOLOAD", "0"),
    )


def _widgets() -> Fact:
    """The Python side of widgets, and the side that JupyterLab's page loads."""
    lost = "without it: explorers and timelines are still pictures"
    try:
        versions = [
            importlib.import_module(name).__version__ for name in ("anywidget", "ipywidgets")
        ]
        from jupyter_core.paths import jupyter_path
    except ImportError as problem:
        return optional("widgets", f"{problem}; {lost}", pip_install("notebooks"))
    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    absent = [name for name in _WIDGETS if not any((f / name).is_dir() for f in folders)]
    if absent:
        again = (
            f"{python()} -m pip install --force-reinstall --no-deps anywidget jupyterlab_widgets"
        )
        return optional("widgets", f"JupyterLab lacks {absent[0]}; {lost}", again)
    return ok("widgets", f"anywidget {versions[0]}, ipywidgets {versions[1]}, both in JupyterLab")


def _trust() -> Fact:
    """Whether Jupyter can remember which notebooks it trusts."""
    lost = "without it: stored figures are hidden until a cell has run"
    try:
        from jupyter_core.paths import jupyter_data_dir
        from nbformat.sign import NotebookNotary
    except ImportError as problem:
        return optional("trust", f"{problem}; {lost}", pip_install("notebooks"))
    folder = Path(jupyter_data_dir())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        store: Any = NotebookNotary(data_dir=str(folder)).store
        kept = os.access(folder, os.W_OK) and store.db_file != ":memory:"
        store.close()
    except OSError:
        kept = False
    if kept:
        return ok("trust", f"signatures are kept in {folder}")
    fix = set_variable("JUPYTER_DATA_DIR", str(Path.cwd() / ".jupyter-data"))
    return optional("trust", f"{folder} cannot be written; {lost}", fix)


def _browser() -> Fact:
    path = find_browser()
    if path:
        return ok("chromium", path)
    found = "not found; without it: browser tests are skipped"
    return optional("chromium", found, system_install("chromium"))


def _bishengir() -> Fact:
    """Whether the real compiler is here and starts."""
    from tlcourse.bishengir import find_tool

    lost = "without it: no comparison with the real compiler"
    tool = find_tool()
    if tool is None and sys.platform != "linux":
        return ok("bishengir-opt", f"exists for Linux only; {lost}")
    if tool is None:
        return optional("bishengir-opt", f"not found; {lost}", pip_install("bishengir"))
    try:
        command = [str(tool), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        said = "" if done.returncode == 0 else f"ends with {done.returncode}: {done.stderr.strip()}"
    except (OSError, subprocess.TimeoutExpired) as problem:
        said = str(problem)
    if not said:
        return ok("bishengir-opt", str(tool))
    fix = set_variable("TLCOURSE_COMPILER", "embedded")
    return optional("bishengir-opt", f"{tool} does not start ({said[-200:]}); {lost}", fix)


def _sandbox() -> Fact:
    """How learners' code would be shut in; tried, not guessed."""
    from tlcourse.grading.protection import parent_here, protection_of

    parent = parent_here()
    try:
        found = protection_of(parent)
    finally:
        if parent is not None:
            parent.stop()
    if not found.off:
        return ok("sandbox", found.how)
    told = f"{found.how}; off: {', '.join(found.off)}; this matters to who grades"
    if sys.platform != "linux":
        return optional("sandbox", told, "grade on Linux: tlcourse grade PATH --require-sandbox")
    if found.how == "bubblewrap":  # it holds all but one thing, for administrators only
        return optional("sandbox", told, "sudo -u ANOTHER_USER tlcourse grade PATH")
    return optional("sandbox", told, system_install("bubblewrap"))


_CHECKS: tuple[Callable[[], Fact], ...] = (
    machine.python_here,
    package("torch"),
    package("xdsl"),
    package("numpy"),
    machine.architecture,
    _course,
    _served,
    _torch_npu,
    package("jupyterlab", extra="notebooks", loss="no notebooks"),
    _widgets,
    _trust,
    machine.memory,
    machine.port,
    machine.cache,
    package("nbgrader", extra="class", loss="no classes"),
    _browser,
    machine.chinese_font,
)
_SLOW_CHECKS: tuple[Callable[[], Fact], ...] = (_bishengir, _sandbox)
