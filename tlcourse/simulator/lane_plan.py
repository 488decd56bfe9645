"""The instructions of a block as statements over a number of like blocks at once.

What lies on chip is at one place in all blocks, so views of it are made once. Where tiles in GM
lie depends on the block: their views are made anew for each chunk of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import torch

from tlcourse.simulator import bits
from tlcourse.simulator.arenas import Arenas
from tlcourse.simulator.instruction import Operand, Run
from tlcourse.simulator.lane_matrices import SPACES, Key, Matrices
from tlcourse.simulator.lanes import Values
from tlcourse.simulator.lattice import Loops, loops_of, split
from tlcourse.simulator.tape import Op
from tlcourse.simulator.tile import Tile

Statement = tuple[Callable[..., object], list[Any]]


@dataclass(frozen=True, kw_only=True)
class Distances:
    """How far tiles in GM lie from those of the first block of a chunk, by the tile's id.

    Tiles that all blocks share are not in it.
    """

    kinds: Mapping[int, int]
    values: Sequence[Values]

    def of(self, tile: Tile) -> int:
        """The kind of a tile, -1 where all blocks share it."""
        kind = self.kinds.get(id(tile), -1)
        return kind if kind >= 0 and self.varies[kind] else -1

    @cached_property
    def varies(self) -> list[bool]:
        """Which kinds are not the same for all blocks."""
        return [bool(value.any()) for value in self.values]

    @cached_property
    def loops(self) -> list[Loops | None]:
        """The loops over the blocks that each kind follows."""
        return [loops_of(value) for value in self.values]


class Plan:
    """Statements for chunks of one number of blocks.

    Args:
        ops: what a block computes.
        lanes: number of blocks.
        distances: where their tiles in GM lie.
        arenas: their memories on chip.
        matrices: how L1 and L0C are kept, if not as bytes.
        functions: what the sites compute for many blocks, by name.
    """

    def __init__(
        self,
        ops: Sequence[Op],
        *,
        lanes: int,
        distances: Distances,
        arenas: Arenas,
        matrices: Matrices | None,
        functions: Mapping[str, Run],
    ) -> None:
        self._lanes = lanes
        self._distances = distances
        self._arenas = arenas
        self._matrices = matrices
        self._functions = functions
        self._views: dict[tuple[int, tuple[int, ...]], Any] = {}
        self._moving: dict[tuple[int, Loops | None], _Moving] = {}
        self._held = self._hold(ops)
        self._statements = [self._statement(op) for op in ops]

    def run(self, starts: Sequence[int]) -> None:
        """Computes a chunk; `starts` says by kind how far its first block lies in GM, in bytes."""
        for moving in self._moving.values():
            moving.place(starts)
        for run, arguments in self._statements:
            run(*arguments)

    def _hold(self, ops: Sequence[Op]) -> dict[Key, torch.Tensor]:
        if self._matrices is None:
            return {}
        tiles = [tile for op in ops for tile in op.tiles() if self._moves(tile)]
        alike = {id(tile) for tile in tiles if self._distances.of(tile) < 0}
        return self._matrices.make(self._lanes, self._matrices.shared(alike))

    def _statement(self, op: Op) -> Statement:
        counts = self._counts(op)
        arguments: list[Any] = []
        run = self._functions[f"op{op.site.index}"]
        if counts is None:
            kept = self._matrices is not None and op.site.batch == "matrices"
            statement = _each(run if kept else op.run, self._lanes, op.cloned), arguments
        else:
            statement = _with_clones(run, op.cloned) if op.cloned else run, arguments
        for operand in (*op.operands, *op.writes):
            self._add(arguments, operand, counts, op)
        if any(isinstance(argument, _Bits) for argument in arguments):
            return _with_bits(statement[0], len(op.operands)), arguments
        return statement

    def _counts(self, op: Op) -> tuple[int, ...] | None:
        """The dimensions of blocks of an instruction's tiles; None where each goes alone."""
        if (op.site.batch == "matrices" and self._matrices is None) or not op.site.batch:
            return None
        tiles = op.tiles()
        if op.site.batch == "tiles" and len({len(tile.sizes) for tile in tiles}) > 1:
            return None
        inner = 0
        moving = [tile for tile in tiles if self._moves(tile)]
        kinds = {kind for tile in moving if (kind := self._distances.of(tile)) >= 0}
        for kind in sorted(kinds):
            loops = self._distances.loops[kind]
            if loops is None:
                return None
            inner = loops[1][0] if len(loops) == 2 else inner
        if not inner:
            return (self._lanes,)
        if any(split(self._distances.values[kind], inner) is None for kind in kinds):
            return None
        return self._lanes // inner, inner

    def _moves(self, tile: Tile) -> bool:
        """Whether a tile lies in GM, where each block has its own place."""
        return tile.memory.space == "gm" and not self._arenas.has(tile)

    def _add(
        self, arguments: list[Any], operand: Operand, counts: tuple[int, ...] | None, op: Op
    ) -> None:
        if not isinstance(operand, Tile):
            arguments.append(operand)
        elif self._moves(operand):
            self._add_moving(arguments, operand, counts, op)
        else:
            arguments.append(self._view(operand, counts))

    def _add_moving(
        self, arguments: list[Any], tile: Tile, counts: tuple[int, ...] | None, op: Op
    ) -> None:
        found, loops = self._distances.of(tile), None
        if counts is not None:
            loops = self._loops(found, counts)
            if self._is_for_all(op):
                loops = ((1, 0),)
        key = id(tile), loops
        moving = self._moving.get(key)
        if moving is None:
            lanes = self._distances.values[found] if found >= 0 else [0] * self._lanes
            kind = self._distances.kinds.get(id(tile), -1)
            moving = self._moving[key] = _Moving(tile, kind, loops, lanes)
        moving.users.append((arguments, len(arguments)))
        arguments.append(None)

    def _loops(self, kind: int, counts: tuple[int, ...]) -> Loops:
        if kind < 0:
            return tuple((count, 0) for count in counts)
        if len(counts) == 1:
            found = self._distances.loops[kind]
        else:
            found = split(self._distances.values[kind], counts[1])
        assert found is not None
        return found

    def _is_for_all(self, op: Op) -> bool:
        """Whether an instruction loads a matrix that all blocks share."""
        if self._matrices is None or op.writes[0].memory.space not in SPACES:
            return False
        return len(self._held[self._matrices.place(op.writes[0])[0]]) < self._lanes

    def _view(self, tile: Tile, counts: tuple[int, ...] | None) -> Any:
        key = id(tile), counts or ()
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._made(tile, counts)
        return view

    def _made(self, tile: Tile, counts: tuple[int, ...] | None) -> Any:
        if tile.is_bit:
            return _Bits(tile, self._arenas.bytes_of(tile, self._lanes))
        if self._matrices is not None and tile.memory.space in SPACES:
            key, (row, column, rows, columns) = self._matrices.place(tile)
            whole = self._held[key]
            part = whole[:, row : row + rows, column : column + columns]
            if counts is None or len(counts) == 1 or len(whole) == 1:
                return part
            return cast(torch.Tensor, part.unflatten(0, counts))
        if counts is None:
            return self._arenas.view(tile, (self._lanes,)).unbind()
        return self._arenas.view(tile, counts)


class _Moving:
    """A tile in GM, whose view is made anew for each chunk."""

    def __init__(
        self, tile: Tile, kind: int, loops: Loops | None, distances: Values | Sequence[int]
    ) -> None:
        self._flat = tile.memory.typed(tile.dtype)
        self._first = tile.base_bytes // tile.width + tile.offset + self._flat.storage_offset()
        self._width, self._kind = tile.width, kind
        self._sizes, self._strides = tile.sizes, tile.strides
        self._apart: list[int] | None = None
        if loops is None:
            self._apart = [int(distance) // tile.width for distance in distances]
        else:
            self._sizes = (*(count for count, _ in loops), *tile.sizes)
            self._strides = (*(step // tile.width for _, step in loops), *tile.strides)
        self.users: list[tuple[list[Any], int]] = []

    def place(self, starts: Sequence[int]) -> None:
        """Gives the statements their views."""
        first = self._first + (starts[self._kind] // self._width if self._kind >= 0 else 0)
        view: Any
        if self._apart is None:
            view = self._flat.as_strided(self._sizes, self._strides, first)
        else:
            view = tuple(
                self._flat.as_strided(self._sizes, self._strides, first + shift)
                for shift in self._apart
            )
        for arguments, place in self.users:
            arguments[place] = view


@dataclass(frozen=True)
class _Bits:
    """A tile of bits of many blocks: to be unpacked before a statement, and packed after it."""

    tile: Tile
    data: torch.Tensor


def _each(run: Run, lanes: int, cloned: tuple[int, ...]) -> Run:
    """One block after another."""

    def run_each(*arguments: Any) -> None:
        for lane in range(lanes):
            mine: list[Any] = [
                a[lane] if isinstance(a, (tuple, torch.Tensor)) else a for a in arguments
            ]
            for place in cloned:
                mine[place] = mine[place].clone()
            run(*mine)

    return run_each


def _with_clones(run: Run, cloned: tuple[int, ...]) -> Run:
    def run_with_clones(*arguments: Any) -> None:
        mine = list(arguments)
        for place in cloned:
            mine[place] = mine[place].clone()
        run(*mine)

    return run_with_clones


def _with_bits(run: Run, operands: int) -> Run:
    """Bools are unpacked for a statement; those behind the operands are its results."""

    def run_with_bits(*arguments: Any) -> None:
        mine = [
            bits.unpacked_lanes(a.tile, a.data) if isinstance(a, _Bits) else a for a in arguments
        ]
        run(*mine)
        for argument, view in zip(arguments[operands:], mine[operands:], strict=True):
            if isinstance(argument, _Bits):
                bits.pack_lanes(argument.tile, argument.data, view)

    return run_with_bits
