"""A tile as C sees it: a pointer, extents and strides, each a number or the name of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Extent = int | str


class NotNative(Exception):
    """A kernel holds what this generator does not translate; it runs as a Program instead."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A part of a buffer.

    Args:
        start: C expression of its first element's address.
        dtype: TileLang dtype.
        shape: extents.
        strides: elements between neighbours.
    """

    start: str
    dtype: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]

    @property
    def count(self) -> str:
        """Number of elements, as C."""
        return product_text(self.shape)

    def is_dense(self) -> bool:
        """Whether its elements follow each other without gaps."""
        return self.strides == dense(self.shape)


def dense(shape: Sequence[Extent]) -> tuple[Extent, ...]:
    """Strides of a tile without gaps."""
    strides: list[Extent] = []
    step: Extent = 1
    for extent in reversed(shape):
        strides.append(step)
        step = times(step, extent)
    return tuple(reversed(strides))


def times(left: Extent, right: Extent) -> Extent:
    """A product, computed here where both factors are known."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 1:
        return right
    return left if right == 1 else f"{left} * {right}"


def product_text(factors: Sequence[Extent]) -> str:
    """A product of extents as C."""
    total: Extent = 1
    for factor in factors:
        total = times(total, factor)
    return str(total)


def squeezed(view: View) -> View:
    """Without the dimensions of extent 1."""
    kept = [index for index, extent in enumerate(view.shape) if extent != 1]
    return replace(
        view,
        shape=tuple(view.shape[index] for index in kept),
        strides=tuple(view.strides[index] for index in kept),
    )


def lifted(view: View, rank: int) -> View:
    """With the rank of a destination: extents of 1 are added in front, or taken away."""
    shape, strides = list(view.shape), list(view.strides)
    while len(shape) > rank:
        if 1 not in shape:
            raise NotNative("a tile has more dimensions than its destination")
        at = shape.index(1)
        del shape[at], strides[at]
    missing = rank - len(shape)
    return replace(
        view, shape=(1,) * missing + tuple(shape), strides=(0,) * missing + tuple(strides)
    )


def stretched(view: View, like: View) -> View:
    """Repeated along its extents of 1, where the other one's are not 1."""
    strides = [
        0 if have == 1 and want != 1 else stride
        for have, want, stride in zip(view.shape, like.shape, view.strides, strict=True)
    ]
    return replace(view, strides=tuple(strides))
