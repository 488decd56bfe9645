"""Operators that packages add to `torch_npu`, by name."""

from __future__ import annotations

from collections.abc import Callable

_OPERATORS: dict[str, Callable[..., object]] = {}


def add(name: str, operator: Callable[..., object]) -> None:
    """Lets `torch_npu.<name>` give an operator; the first of a name stays."""
    _OPERATORS.setdefault(name, operator)


def find(name: str) -> Callable[..., object] | None:
    """The operator of that name, or None."""
    return _OPERATORS.get(name)


def names() -> list[str]:
    """The names there are."""
    return list(_OPERATORS)
