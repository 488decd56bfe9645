"""TileLang kernels on a simulated Ascend NPU: write, compile, look, run, check.

Importing this package is cheap. It lets `import tilelang` and `import torch_npu` work on a
machine without an NPU, and offers the names a notebook uses, each loaded at its first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tlcourse import finder

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tlcourse.grading.notebook import answer, check, hint, progress
    from tlcourse.pipeline.progressive import lower
    from tlcourse.widgets.show import (
        show_chip,
        show_deadlock,
        show_findings,
        show_grid,
        show_memory,
        show_passes,
        show_replay,
        show_timeline,
    )

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "answer",
    "check",
    "hint",
    "lower",
    "progress",
    "show_chip",
    "show_deadlock",
    "show_findings",
    "show_grid",
    "show_memory",
    "show_passes",
    "show_replay",
    "show_timeline",
]

_HOME = {
    "answer": "tlcourse.grading.notebook",
    "check": "tlcourse.grading.notebook",
    "hint": "tlcourse.grading.notebook",
    "lower": "tlcourse.pipeline.progressive",
    "progress": "tlcourse.grading.notebook",
    "show_chip": "tlcourse.widgets.show",
    "show_deadlock": "tlcourse.widgets.show",
    "show_findings": "tlcourse.widgets.show",
    "show_grid": "tlcourse.widgets.show",
    "show_memory": "tlcourse.widgets.show",
    "show_passes": "tlcourse.widgets.show",
    "show_replay": "tlcourse.widgets.show",
    "show_timeline": "tlcourse.widgets.show",
}


def __getattr__(name: str) -> object:
    """Loads a notebook name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module 'tlcourse' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers `%tlcourse` in a notebook; `%load_ext tlcourse` calls it."""
    from tlcourse.magic import load

    load(shell)


def __dir__() -> list[str]:
    return sorted(__all__)


finder.install()
