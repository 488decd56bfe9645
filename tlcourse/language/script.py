"""A kernel as Python-like text."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp


def script_of(module: ModuleOp) -> str:
    """The text of a Tile IR module in the language's own words."""
    return str(module)
