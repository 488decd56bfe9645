"""The record of a grid: what each block of a launch touches, and how many run at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Box:
    """A tile of a tensor in GM that a block reads or writes; ends are included.

    Args:
        tensor: its place in `BlockMap.tensors`.
        writes: it is written, else read.
        rows: first and last row.
        columns: first and last column.
    """

    tensor: int
    writes: bool
    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class DrawnTensor:
    """A tensor as a matrix: its last dimension counts columns, all others together rows.

    Args:
        name: the learner's name for it.
        shape: its extents.
        dtype: TileLang dtype.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def columns(self) -> int:
        """Elements of a row."""
        return self.shape[-1] if self.shape else 1

    @property
    def rows(self) -> int:
        """Rows, of all dimensions but the last together."""
        count = 1
        for extent in self.shape[:-1]:
            count *= extent
        return count


@dataclass(frozen=True, kw_only=True)
class Slots:
    """How many blocks a chip runs at a time."""

    chip: str
    count: int


@dataclass(frozen=True, kw_only=True)
class BlockMap:
    """The blocks of a launch.

    Args:
        kernel: its name.
        kind: `cube`, `vector` or `mix`: the cores that a block takes.
        blocks: how many there are.
        chips: the chip of the launch, then one for each other number of slots.
        tensors: the tensors in GM, in the order of the parameters.
        boxes: for each of the first blocks what it touches, in program order.
    """

    schema: ClassVar[str] = "tlcourse.BlockMap/1"
    kernel: str
    kind: str
    blocks: int
    chips: tuple[Slots, ...]
    tensors: tuple[DrawnTensor, ...]
    boxes: tuple[tuple[Box, ...], ...] = ()
