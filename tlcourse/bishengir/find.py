"""Finds the real AscendNPU IR compiler, `bishengir-opt` of the ascendnpu-ir wheel.

On systems without a real wheel pip installs an empty package under the same name, so only
the binary itself proves that the compiler is here.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from tlcourse.config import read_config
from tlcourse.diagnostics import error

_WHEEL = "ascendnpuir"


def find_tool() -> Path | None:
    """The path of `bishengir-opt`: TLCOURSE_BISHENGIR_OPT where set, else the wheel's."""
    chosen = read_config().bishengir_opt
    if chosen:
        return _if_executable(Path(chosen))
    spec = find_spec(_WHEEL)
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        found = _if_executable(Path(folder) / "bin" / "bishengir-opt")
        if found:
            return found
    return None


def require_tool() -> Path:
    """The path of `bishengir-opt`.

    Raises:
        TL350: it is not on this machine.
    """
    found = find_tool()
    if found:
        return found
    raise error(
        "TL350",
        "The real compiler, bishengir-opt, is not on this machine",
        why='backend="bishengir" needs the ascendnpu-ir wheel, which exists for Linux only '
        "(x86_64 and aarch64, CPython 3.10 to 3.13)",
        fix='pip install "tlcourse[bishengir]" on Linux, or use backend="embedded"',
    )


def _if_executable(path: Path) -> Path | None:
    return path if path.is_file() and os.access(path, os.X_OK) else None
