"""One line of `tlcourse doctor`, and the commands to paste that it may hold."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
from dataclasses import dataclass
from typing import Literal

# What a system's own packages are called, by the program that installs them.
_SYSTEM: dict[str, dict[str, str]] = {
    "apt-get": {"font": "fonts-noto-cjk"},
    "dnf": {"font": "google-noto-sans-cjk-fonts"},
    "pacman": {"font": "noto-fonts-cjk"},
    "brew": {"font": "font-noto-sans-cjk"},
}
_INSTALL = {
    "apt-get": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "brew": "brew install",
}


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


def ok(name: str, found: str) -> Fact:
    """All is well."""
    return Fact(name=name, state="ok", found=found)


def optional(name: str, found: str, fix: str) -> Fact:
    """A part of the course does not work."""
    return Fact(name=name, state="optional", found=found, fix=fix)


def missing(name: str, found: str, fix: str) -> Fact:
    """The course does not work."""
    return Fact(name=name, state="missing", found=found, fix=fix)


def pip_install(extra: str = "", only: str = "") -> str:
    """A command that installs what tlcourse asks for; it needs tlcourse on no index.

    Args:
        extra: the extra whose packages are meant, empty for those that are always needed.
        only: one package of them, if it is among them.
    """
    wanted = _requirements(extra)
    chosen = [one for one in wanted if one.startswith(only)] or wanted
    return f"{python()} -m pip install " + " ".join(f'"{one}"' for one in chosen)


def python() -> str:
    """This Python, as a shell takes it."""
    return f'"{sys.executable}"' if " " in sys.executable else sys.executable


def system_install(package: str) -> str:
    """A command that installs a package of the system."""
    tool = next((name for name in _INSTALL if shutil.which(name)), "apt-get")
    return f"{_INSTALL[tool]} {_SYSTEM[tool].get(package, package)}"


def _requirements(extra: str) -> list[str]:
    found: list[str] = []
    for line in importlib.metadata.requires("tlcourse") or ():
        requirement, _, marker = line.partition(";")
        if (f"extra == '{extra}'" in marker.replace('"', "'")) if extra else not marker:
            found.append(requirement.strip())
    return found
