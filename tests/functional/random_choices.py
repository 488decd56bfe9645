"""What the random kernels are made of: steps, and the choices that decide them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch

Tiles = dict[str, torch.Tensor]
Meaning = Callable[[Tiles], None]
VECTOR = "xyz"
Part = tuple[slice, slice]


@dataclass(frozen=True, kw_only=True)
class Step:
    """Lines of a kernel, what they mean, and whether other orders of addition round otherwise."""

    lines: tuple[str, ...]
    meaning: Meaning
    fuzzy: bool = False


@dataclass(kw_only=True)
class Draw:
    """The choices of one kernel: what came so far decides what may come next."""

    random: Random
    shape: tuple[int, int]
    dtype: str
    second: str
    fuzzy: bool = False

    @property
    def floats(self) -> bool:
        """Whether the tiles hold floats."""
        return "float" in self.dtype

    def pick(self, *choices: str) -> str:
        """One of some words."""
        return self.random.choice(choices)

    def coin(self) -> bool:
        """Yes or no."""
        return self.random.random() < 0.5

    def number(self, low: int, high: int) -> int:
        """An integer of a range."""
        return self.random.randint(low, high)

    def part(self, height: int, width: int, shape: tuple[int, int] | None = None) -> Part:
        """A place for `height` x `width` elements in a tile."""
        rows, columns = shape or self.shape
        top, left = self.number(0, rows - height), self.number(0, columns - width)
        return slice(top, top + height), slice(left, left + width)

    def size(self) -> tuple[int, int]:
        """Extents of a part: often the whole tile."""
        rows, columns = self.shape
        if self.coin():
            return rows, columns
        return self.number(1, rows), self.number(1, columns)

    def scalar(self) -> str:
        """A Python number that every dtype holds exactly."""
        return self.pick("2", "-1", "3") if not self.floats else self.pick("0.5", "-1.5", "2")


def text(name: str, part: Part) -> str:
    """A slice as the kernel writes it."""
    return f"{name}[{', '.join(f'{one.start}:{one.stop}' for one in part)}]"


def torch_dtype(name: str) -> torch.dtype:
    """torch's dtype of a TileLang name."""
    return getattr(torch, name)


def assign(name: str, part: Part, value: Callable[[Tiles], torch.Tensor]) -> Meaning:
    """Writes a value, computed before anything is written, into a part of a tile."""

    def meaning(tiles: Tiles) -> None:
        tiles[name][part] = value(tiles).clone().to(tiles[name].dtype)

    return meaning
