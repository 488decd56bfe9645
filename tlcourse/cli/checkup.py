"""Looks at this machine, one fact at a time, for `tlcourse doctor`."""

from __future__ import annotations

import importlib
import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One thing that the course uses.

    Args:
        name: what it is.
        state: `ok`; `missing`, the course does not work without it; `optional`, a part does not.
        found: what is here, or what is lost without it.
        fix: a command to paste, empty when all is well.
    """

    name: str
    state: Literal["ok", "missing", "optional"]
    found: str
    fix: str = ""


def check_up() -> tuple[Fact, ...]:
    """All facts about this machine, what is needed first."""
    return tuple(check() for check in _CHECKS)


def find_browser() -> str | None:
    """The path of a chromium on this machine, None if there is none."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def _python() -> Fact:
    version = ".".join(map(str, sys.version_info[:3]))
    return Fact(name="python", state="ok", found=f"{version}, {sys.executable}")


def package(name: str, *, extra: str = "", loss: str = "") -> Callable[[], Fact]:
    """A check that a Python package is installed and imports."""
    target = f"tlcourse[{extra}]" if extra else "tlcourse"

    def check() -> Fact:
        try:
            importlib.import_module(name)
            found = importlib.metadata.version(name)
        except (ImportError, OSError, RuntimeError) as problem:
            return Fact(
                name=name,
                state="optional" if loss else "missing",
                found=f"{problem}" + (f"; without it: {loss}" if loss else ""),
                fix=f'{sys.executable} -m pip install "{target}"',
            )
        return Fact(name=name, state="ok", found=found)

    return check


def _served() -> Fact:
    from tlcourse.finder import decision

    now = decision()
    return Fact(name="tilelang", state="ok", found=f"served by {now.served}: {now.reason}")


def _bishengir() -> Fact:
    from tlcourse.bishengir import find_tool

    tool = find_tool()
    if tool is not None:
        return Fact(name="bishengir-opt", state="ok", found=str(tool))
    if sys.platform != "linux":
        return Fact(name="bishengir-opt", state="optional", found="exists for Linux only")
    return Fact(
        name="bishengir-opt",
        state="optional",
        found="not found; without it: no comparison with the real compiler",
        fix=f'{sys.executable} -m pip install "tlcourse[bishengir]"',
    )


def _browser() -> Fact:
    path = find_browser()
    if path:
        return Fact(name="chromium", state="ok", found=path)
    return Fact(
        name="chromium",
        state="optional",
        found="not found; without it: browser tests are skipped",
        fix="sudo apt-get install chromium",
    )


def _chinese_font() -> Fact:
    try:
        fonts = subprocess.run(
            ["fc-list", ":lang=zh", "family"], capture_output=True, text=True, timeout=20
        ).stdout.split("\n")
    except (OSError, subprocess.TimeoutExpired):
        fonts = [""]
    if fonts[0]:
        return Fact(name="Chinese font", state="ok", found=fonts[0].split(",")[0])
    return Fact(
        name="Chinese font",
        state="optional",
        found="not found; without it: figures show boxes for Chinese words",
        fix="sudo apt-get install fonts-noto-cjk",
    )


def _sandbox() -> Fact:
    path = shutil.which("bwrap")
    if path:
        return Fact(name="bubblewrap", state="ok", found=path)
    return Fact(
        name="bubblewrap",
        state="optional",
        found="not found; without it: no sandbox for hand-ins where namespaces are off",
        fix="sudo apt-get install bubblewrap",
    )


_CHECKS: tuple[Callable[[], Fact], ...] = (
    _python,
    package("torch"),
    package("xdsl"),
    package("numpy"),
    _served,
    _bishengir,
    package("jupyterlab", extra="notebooks", loss="no notebooks"),
    package("nbgrader", extra="class", loss="no classes"),
    _browser,
    _chinese_font,
    _sandbox,
)
