"""Which operators ran: the record that tells a swapped operator from one that was passed by."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Call:
    """One launch of a precompiled kernel.

    Args:
        package: the package it came from.
        operator: the operator.
        variant: the variant that was taken.
        arguments: the shape of each tensor that was given, and the numbers.
        shapes: of its tensors, outputs last.
        bytes: of all these tensors.
    """

    package: str
    operator: str
    variant: str
    arguments: tuple[tuple[int, ...] | int | float, ...] = ()
    shapes: tuple[tuple[int, ...], ...]
    bytes: int


_CALLS: ContextVar[list[Call] | None] = ContextVar("tlcourse_operator_calls", default=None)


@contextmanager
def recorded() -> Generator[list[Call]]:
    """Collects the launches of precompiled kernels inside a `with`.

    Example:
        >>> with recorded() as calls:  # doctest: +SKIP
        ...     model(tokens)
    """
    calls: list[Call] = []
    token = _CALLS.set(calls)
    try:
        yield calls
    finally:
        _CALLS.reset(token)


def record(call: Call) -> None:
    """Notes a launch where somebody listens."""
    calls = _CALLS.get()
    if calls is not None:
        calls.append(call)


def is_recording() -> bool:
    """Whether somebody listens."""
    return _CALLS.get() is not None
