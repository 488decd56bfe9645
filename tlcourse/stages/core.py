"""A core that carries out each op at once; only waits between cores let another one go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal

import torch

from tlcourse.simulator.memory import BIT, WIDTH_BYTES, Memory, on_chip
from tlcourse.simulator.sync import Mode
from tlcourse.simulator.tile import Tile

Kind = Literal["cube", "vector", "mix"]
Operand = Tile | int | float
Flag = tuple[int, int, int]  # number of the sender, number of the receiver, id


@dataclass
class Board:
    """What the cores share: raised flags, and workspace buffers without an address."""

    cores: list[Core] = field(default_factory=lambda: list[Core]())
    raised: Counter[Flag] = field(default_factory=lambda: Counter[Flag]())
    # In a loop the same flags may be up again after each turn: only a count shows progress.
    events: int = 0
    workspaces: dict[tuple[int, int], Memory] = field(
        default_factory=lambda: dict[tuple[int, int], Memory]()
    )


class Core:
    """One core of a block, as generated code calls it.

    Args:
        board: what it shares with the other cores.
        kind: cube, vector, or mix where the function is not split yet.
        block: logical block, of `blocks`.
        sub: which vector core of `subs`.
        sizes_bytes: capacity of each on-chip memory.
    """

    def __init__(
        self,
        board: Board,
        *,
        kind: Kind,
        block: int,
        sub: int,
        blocks: int,
        subs: int,
        sizes_bytes: Mapping[str, int],
    ) -> None:
        self.kind: Kind = kind
        self.block, self.sub, self.blocks, self.subs = block, sub, blocks, subs
        self.block_id = block  # the name that generated code has for it
        self.turn: tuple[int, ...] = ()
        self.number = len(board.cores)
        self._board = board
        self._sizes_bytes = sizes_bytes
        self._memories: dict[str, Memory] = {}
        board.cores.append(self)

    def loop(self, lower: int, upper: int, step: int, span: int, cost: int) -> range:
        """The turns of a loop."""
        return range(lower, upper, step)

    def buffer(
        self,
        name: str,
        space: str,
        address: int,
        dtype: str,
        sizes: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Tile:
        """A planned buffer at a byte address of an on-chip memory."""
        if space not in self._memories:
            self._memories[space] = on_chip(space, space, self._sizes_bytes[space])
        return Tile(self._memories[space], dtype, address, 0, sizes, strides, name)

    def alloc(self, dtype: str, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Tile:
        """A buffer without an address: memory of its own, filled with poison."""
        kind = "bool" if dtype == BIT else dtype
        reach = 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
        memory = on_chip("", "", max(reach, 1) * WIDTH_BYTES[kind])
        return Tile(memory, kind, 0, 0, sizes, strides)

    def tensor(self, dtype: str, sizes: tuple[int, ...]) -> Tile:
        """A tensor without contents."""
        return self.alloc(dtype, sizes, _row_major(sizes))

    def copied(self, tile: Tile) -> Tile:
        """A tensor of its own with the same contents."""
        fresh = self.tensor(tile.dtype, tile.sizes)
        fresh.view().copy_(tile.view())
        return fresh

    def workspace(
        self, place: int, dtype: str, sizes: tuple[int, ...], strides: tuple[int, ...]
    ) -> Tile:
        """This block's workspace buffer of an op, or of an offset."""
        key = (self.block, place)
        size = prod(sizes) * WIDTH_BYTES[dtype]
        known = self._board.workspaces.get(key)
        if known is None or known.size_bytes < size:
            self._board.workspaces[key] = on_chip("the workspace", "gm", size)
        return Tile(self._board.workspaces[key], dtype, 0, 0, sizes, strides)

    def compute(
        self, run: Callable[..., None], operands: Sequence[Operand], writes: Sequence[Tile]
    ) -> None:
        """Carries out an op of a pipe: all is read before anything is written."""
        outputs = [tile.view() for tile in writes]
        run(*(_read(one, writes) for one in operands), *outputs)
        for tile, output in zip(writes, outputs, strict=True):
            tile.keep(output)

    def put(self, source: Tile, target: Tile) -> None:
        """Copies a tile; extents of 1 may be missing on one side."""
        view = target.view()
        view.copy_(source.view().reshape(view.shape))
        target.keep(view)

    def load(self, site: int, tile: Tile, indices: tuple[int, ...]) -> int | float:
        """One element."""
        return tile.view()[indices].item()

    def store(self, site: int, value: float, tile: Tile, indices: tuple[int, ...]) -> None:
        """Writes one element."""
        view = tile.view()
        view[indices] = value
        tile.keep(view)

    def raise_flag(self, flag: int, mode: Mode) -> None:
        """Raises a flag for the partners."""
        self._board.events += 1
        for core in self._partners(mode):
            self._board.raised[self.number, core.number, flag] += 1

    def await_flag(self, flag: int, mode: Mode) -> Generator[None]:
        """Goes on once each partner has raised the flag."""
        flags = [(core.number, self.number, flag) for core in self._partners(mode)]
        while not all(self._board.raised[key] for key in flags):
            yield
        self._board.raised.subtract(flags)
        self._board.events += 1

    def _partners(self, mode: Mode) -> list[Core]:
        if self.kind == "mix":
            return []
        cores = self._board.cores
        if mode == "BLOCK":
            return [core for core in cores if core.kind == self.kind]
        group = [core for core in cores if core.block == self.block]
        if mode == "SUBBLOCK":
            return [core for core in group if core.kind == "vector"]
        return [core for core in group if core.kind != self.kind]


def _row_major(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(sizes[dim + 1 :]) for dim in range(len(sizes)))


def _read(operand: Operand, writes: Sequence[Tile]) -> torch.Tensor | int | float:
    """A tile's elements, a copy where the op writes over some of them."""
    if not isinstance(operand, Tile):
        return operand
    crosses = any(operand.overlaps(tile) and not operand.same_place(tile) for tile in writes)
    return operand.view().clone() if crosses else operand.view()
