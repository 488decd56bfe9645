"""Tiles as strided views: which elements of which tensor, as text for generated code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Extent = int | str


@dataclass(frozen=True, kw_only=True)
class View:
    """A strided part of a tensor. Numbers are known, texts are names in generated code.

    Args:
        tensor: Python name of the whole tensor.
        label: the learner's name.
        base: name of the position of the tensor's first element in its storage; "" for 0.
        dtype: torch dtype.
        shape: extents of this view.
        strides: elements between neighbours in each dimension.
        terms: summands of the first element's position that are not known.
        start: the known part of that position.
        whole: the view is the tensor itself.
        rebound: the name stands for another tensor from time to time; no view of it is kept.
        checked: the run must compare the view with the tensor's extents before it is made.
        blocks: name of the number of blocks whose tiles the tensor holds, one behind the other
            in its first dimension, which `shape` leaves out; "" where it holds one tile.
        size: elements of one of these tiles.
        shifts: summands of the position that differ from block to block (tensors in GM).
    """

    tensor: str
    label: str
    base: str = ""
    dtype: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    terms: tuple[str, ...] = ()
    start: int = 0
    whole: bool = False
    rebound: bool = False
    checked: bool = False
    blocks: str = ""
    size: int = 0
    shifts: tuple[str, ...] = ()

    def text(self) -> str:
        """The expression that makes the view."""
        if self.whole:
            return self.tensor
        shape, strides = self.shape, self.strides
        if self.blocks:
            shape, strides = (self.blocks, *shape), (self.size, *strides)
        return (
            f"{self.tensor}.as_strided({tuple_text(shape)}, {tuple_text(strides)}, "
            f"{self.position()})"
        )

    def position(self) -> str:
        """The expression of the first element's position."""
        known = [str(self.start)] if self.start or not self.terms else []
        return " + ".join([*self.terms, *known])

    def atoms(self) -> list[Extent]:
        """All numbers and names that the view depends on; a product counts as unknown."""
        return [*self.shape, *self.strides, *self.terms, *self.shifts]


def root(*, tensor: str, label: str, dtype: str, shape: Sequence[Extent], base: str = "") -> View:
    """A whole row-major tensor; `base` names the position of its first element."""
    return View(
        tensor=tensor,
        label=label,
        base=base,
        dtype=dtype,
        shape=tuple(shape),
        strides=row_major(shape),
        terms=(base,) if base else (),
        whole=True,
    )


def part(view: View, offsets: Sequence[Extent], extents: Sequence[Extent]) -> View:
    """The rectangle of a view that starts at `offsets`."""
    if all(offset == 0 for offset in offsets) and tuple(extents) == view.shape:
        return view
    steps = [times(offset, stride) for offset, stride in zip(offsets, view.strides, strict=True)]
    return replace(
        view,
        shape=tuple(extents),
        terms=(*view.terms, *(step for step in steps if isinstance(step, str))),
        start=view.start + sum(step for step in steps if isinstance(step, int)),
        whole=False,
    )


def drop(view: View, dims: Sequence[int]) -> View:
    """The view without dimensions of extent 1."""
    if not dims:
        return view
    keep = [dim for dim in range(len(view.shape)) if dim not in dims]
    return replace(
        view,
        shape=tuple(view.shape[dim] for dim in keep),
        strides=tuple(view.strides[dim] for dim in keep),
        whole=False,
    )


def stretch(view: View, dims: Sequence[int], extents: Sequence[Extent]) -> View:
    """The view with dimensions of extent 1 repeated to the given extents, without a copy."""
    if not dims:
        return view
    shape, strides = list(view.shape), list(view.strides)
    for dim, extent in zip(dims, extents, strict=True):
        shape[dim], strides[dim] = extent, 0
    return replace(view, shape=tuple(shape), strides=tuple(strides), whole=False)


def lift(view: View, rank: int) -> View:
    """The view with leading dimensions of extent 1 up to a rank."""
    missing = rank - len(view.shape)
    if missing <= 0:
        return view
    return replace(
        view,
        shape=(*(1,) * missing, *view.shape),
        strides=(*(0,) * missing, *view.strides),
        whole=False,
    )


def transpose(view: View) -> View:
    """The matrix with rows and columns exchanged."""
    return replace(view, shape=view.shape[::-1], strides=view.strides[::-1], whole=False)


def row_major(shape: Sequence[Extent]) -> tuple[Extent, ...]:
    """Strides of a row-major tensor."""
    strides: list[Extent] = [1]
    for extent in reversed(shape[1:]):
        strides.append(times(strides[-1], extent))
    return tuple(reversed(strides[: len(shape)]))


def times(left: Extent, right: Extent) -> Extent:
    """A product, computed where both are known."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 0 or right == 0:
        return 0
    if left == 1 or right == 1:
        return right if left == 1 else left
    return f"{left} * {right}"


def tuple_text(items: Sequence[Extent]) -> str:
    """A Python tuple as text."""
    return "(" + ", ".join(str(item) for item in items) + ("," if len(items) == 1 else "") + ")"
