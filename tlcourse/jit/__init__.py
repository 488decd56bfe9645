"""The host side: `jit`, `compile`, kernel objects, their cache and their launches.

This is where the layers below are joined: a traced kernel comes in, is compiled when it is
first needed, takes npu tensors and gives numbers, findings and a timeline. Names load what
they need at their first use; `launch_program` runs a stored Program without the compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlcourse.jit.binding import Bound, bind
    from tlcourse.jit.decorator import compile, jit, lower
    from tlcourse.jit.kernel import Kernel
    from tlcourse.jit.launch import Launch, launch_program
    from tlcourse.jit.report import FindingWarning, KernelWarning

__all__ = [
    "Bound",
    "FindingWarning",
    "Kernel",
    "KernelWarning",
    "Launch",
    "bind",
    "compile",
    "jit",
    "launch_program",
    "lower",
]

_HOME = {
    "Bound": "binding",
    "FindingWarning": "report",
    "Kernel": "kernel",
    "KernelWarning": "report",
    "Launch": "launch",
    "bind": "binding",
    "compile": "decorator",
    "jit": "decorator",
    "launch_program": "launch",
    "lower": "decorator",
}


def __getattr__(name: str) -> object:
    """Loads a name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module 'tlcourse.jit' has no attribute '{name}'")
    return getattr(importlib.import_module(f"tlcourse.jit.{_HOME[name]}"), name)
