"""What lies in a wheelhouse: a list with hashes, and how to install from it."""

from __future__ import annotations

import hashlib
import json
import sys
import sysconfig
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from tlcourse.diagnostics import error
from tlcourse.stored import put

NAME = "wheelhouse.json"
_TEXT = """\
tlcourse without a network
==========================

Needed: Python {pythons} with pip. No administrator, no compiler, no network.
Made for: {systems}

1. Open a terminal in this folder, and make an environment in a folder of your own:

       python3 -m venv {home}

   On Windows: py -m venv %USERPROFILE%\\tlcourse-env

2. One command installs everything:

       {python} -m pip install --no-index --find-links . "tlcourse[{extras}]"

   On Windows: %USERPROFILE%\\tlcourse-env\\Scripts\\python -m pip install ^
                 --no-index --find-links . "tlcourse[{extras}]"

3. Look whether all is well, and start:

       {bin}/tlcourse doctor
       {bin}/tlcourse lab

没有网络时安装 tlcourse：在本文件夹里打开终端，依次运行上面第 1、2、3 步的命令。
需要 Python {pythons} 和 pip；不需要管理员权限，也不需要编译器。
"""


@dataclass(frozen=True, kw_only=True)
class HouseList:
    """The list in a wheelhouse.

    Args:
        runs: by system and Python, what a run there was asked for and which files it takes.
        files: size and hash of each file.
    """

    runs: dict[str, dict[str, Any]] = field(default_factory=lambda: dict[str, dict[str, Any]]())
    files: dict[str, dict[str, Any]] = field(default_factory=lambda: dict[str, dict[str, Any]]())

    @classmethod
    def read(cls, folder: Path) -> HouseList:
        """The list of a folder; an empty one where there is none."""
        path = folder / NAME
        if not path.is_file():
            return cls()
        data = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        return cls(runs=data["runs"], files=data["files"])

    def with_run(
        self, folder: Path, system: str, extras: tuple[str, ...], names: tuple[str, ...]
    ) -> HouseList:
        """The list after a run, which stands in place of an earlier one on the same system."""
        runs = self.runs | {system: {"extras": list(extras), "files": list(names)}}
        files = self.files | {name: _facts(folder / name) for name in names}
        return HouseList(runs=runs, files=files)

    def needed(self) -> set[str]:
        """The files that any run takes."""
        return {name for run in self.runs.values() for name in run["files"]}

    def left_over(self, folder: Path) -> list[str]:
        """Files of earlier runs that no run takes any more."""
        return sorted(n for n in self.files if n not in self.needed() and (folder / n).is_file())

    def write(self, folder: Path) -> None:
        """Writes the list into the folder."""
        needed = self.needed()
        kept = HouseList(runs=self.runs, files={n: f for n, f in self.files.items() if n in needed})
        text = json.dumps(asdict(kept), indent=1, sort_keys=True) + "\n"
        put(folder / NAME, text.encode())

    def bytes(self) -> int:
        """The size of all files together."""
        return sum(self.files[name]["bytes"] for name in self.needed())


def check(folder: Path) -> HouseList:
    """Reads every file of a wheelhouse and compares it with the list.

    Raises:
        TL784: there is no list, or a file is missing or another one.
    """
    houses = HouseList.read(folder)
    wrong = [name for name, facts in sorted(houses.files.items()) if not _is(folder / name, facts)]
    if houses.files and not wrong:
        return houses
    raise error(
        "TL784",
        f"the wheelhouse {folder} is not whole",
        why=f"missing or damaged: {', '.join(wrong)}" if wrong else f"it has no {NAME}",
        fix=f"run `tlcourse wheelhouse {folder}` with a network: only what is missing is fetched",
    )


def instructions(houses: HouseList, extras: tuple[str, ...]) -> str:
    """The text of INSTALL.txt."""
    pythons = sorted({system.rpartition(" ")[2] for system in houses.runs})
    return _TEXT.format(
        pythons=", ".join(pythons),
        systems="; ".join(sorted(houses.runs)),
        extras=",".join(extras),
        home="~/tlcourse-env",
        bin="~/tlcourse-env/bin",
        python="~/tlcourse-env/bin/python",
    )


def here() -> str:
    """This system and Python in words, as in `linux-x86_64, Python 3.11`."""
    return f"{sysconfig.get_platform()}, Python {sys.version_info[0]}.{sys.version_info[1]}"


def hash_of(path: Path) -> str:
    """The sha256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _facts(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": hash_of(path)}


def _is(path: Path, facts: dict[str, Any]) -> bool:
    same_size = path.is_file() and path.stat().st_size == facts["bytes"]
    return same_size and hash_of(path) == facts["sha256"]
