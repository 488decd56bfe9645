"""Planted faults: a copy of a package whose kernels launch as before and give something else.

A copy's `artefacts/__init__.py` puts one in place. The right copy gets one that changes nothing,
so that copies differ in what they compute and in one word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from tlcourse.grading.packages.asked import LAST_INPUT, LAST_ROW, RIGHT, SCALED
from tlcourse.ops.loading import Kernels

Result = torch.Tensor | tuple[torch.Tensor, ...]
Launch = Callable[..., Result]

LINES = """
from tlcourse.grading.packages.faults import Planted

KERNELS = Planted(KERNELS, {copy!r})
"""
"""What a copy's `artefacts/__init__.py` ends with."""


class Planted:
    """The kernels of a package with a fault in every launch."""

    def __init__(self, kernels: Kernels, copy: str) -> None:
        self._kernels = kernels
        self._change = _CHANGES[copy]

    def __call__(self, operator: str, **constants: object) -> Launch:
        """What launches an operator's kernel, and then does wrong."""
        launch = self._kernels(operator, **constants)
        return lambda *arguments: self._change(launch, arguments)

    def __getattr__(self, name: str) -> object:
        return getattr(self._kernels, name)


def _right(launch: Launch, arguments: Sequence[object]) -> Result:
    return launch(*arguments)


def _scaled(launch: Launch, arguments: Sequence[object]) -> Result:
    """Twice what it should be: the factor adds no rounding of its own."""
    return _each(launch(*arguments), lambda one: one + one)


def _without_last_row(launch: Launch, arguments: Sequence[object]) -> Result:
    def without(one: torch.Tensor) -> torch.Tensor:
        one[-1:] = 0
        return one

    return _each(launch(*arguments), without)


def _without_last_input(launch: Launch, arguments: Sequence[object]) -> Result:
    tensors = [i for i, one in enumerate(arguments) if isinstance(one, torch.Tensor)]
    given = list(arguments)
    given[tensors[-1]] = torch.ones_like(given[tensors[-1]])  # pyright: ignore[reportArgumentType]
    return launch(*given)


def _each(result: Result, change: Callable[[torch.Tensor], torch.Tensor]) -> Result:
    return tuple(map(change, result)) if isinstance(result, tuple) else change(result)


_CHANGES: dict[str, Callable[[Launch, Sequence[object]], Result]] = {
    RIGHT: _right,
    SCALED: _scaled,
    LAST_ROW: _without_last_row,
    LAST_INPUT: _without_last_input,
}
