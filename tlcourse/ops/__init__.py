"""Operator packages: kernels compiled beforehand, and operators that torch knows.

`KernelRecipe` says what is compiled, `load` opens what was compiled, `register` makes torch
operators of it. Loading needs torch alone; names load what they need at their first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlcourse.ops.calls import Call, recorded
    from tlcourse.ops.loading import load
    from tlcourse.ops.recipe import KernelRecipe
    from tlcourse.ops.registration import Operator, register

__all__ = ["Call", "KernelRecipe", "Operator", "load", "recorded", "register"]

_HOME = {
    "Call": "calls",
    "KernelRecipe": "recipe",
    "Operator": "registration",
    "load": "loading",
    "recorded": "calls",
    "register": "registration",
}


def __getattr__(name: str) -> object:
    """Loads a name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module 'tlcourse.ops' has no attribute '{name}'")
    return getattr(importlib.import_module(f"tlcourse.ops.{_HOME[name]}"), name)
