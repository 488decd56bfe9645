"""Classes of blocks: blocks that do the same work on other elements of GM.

Where the control flow of a kernel does not depend on the block, all blocks are one class.
Where it does, as in a last block with fewer rows, the class of a block is the list of what it
would issue, with the sizes of all tiles; a dry run of the generated code gives it. Control
flow that depends on data is not known before the run: then each block is a class of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from tlcourse.simulator.core import Core, Kind, Steps
from tlcourse.simulator.instruction import Operand, Run
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.sync import Mode
from tlcourse.simulator.tile import Tile


@dataclass(frozen=True, kw_only=True)
class BlockClass:
    """Blocks of one class; the first one represents them."""

    blocks: tuple[int, ...]

    @property
    def representative(self) -> int:
        """The block that is checked and timed for all."""
        return self.blocks[0]


def group(blocks: int, key: Callable[[int], Hashable]) -> tuple[BlockClass, ...]:
    """The classes of a grid in the order of their first blocks."""
    found: dict[Hashable, list[int]] = {}
    for block in range(blocks):
        found.setdefault(key(block), []).append(block)
    return tuple(BlockClass(blocks=tuple(members)) for members in found.values())


class DryCore(Core):
    """A core that only notes what it would issue."""

    def __init__(
        self,
        machine: Machine,
        *,
        kind: Kind,
        block: int,
        sub: int,
        blocks: int,
        subs: int,
        memories: Mapping[str, Memory],
        steps: Steps,
    ) -> None:
        super().__init__(
            machine,
            kind=kind,
            block=block,
            sub=sub,
            blocks=blocks,
            subs=subs,
            memories=memories,
            steps=steps,
        )
        self.notes: list[Hashable] = []

    def issue(
        self,
        site: int,
        run: Run,
        operands: tuple[Operand, ...],
        writes: tuple[Tile, ...],
        clobbers: tuple[Tile, ...] = (),
        accumulates: bool = False,
    ) -> None:
        self.notes.append((site, *map(_shape, (*operands, *writes, *clobbers))))

    def matmul(
        self,
        stage: int,
        site: int,
        run: Run,
        operands: tuple[Tile, Tile, int, int, int, int],
        c: Tile,
        events: Sequence[int] = (),
        transposed: tuple[bool, bool] = (False, False),
    ) -> None:
        self.notes.append((site, *map(_shape, (*operands, c)), *events))

    def set_flag(self, site: int, wait_pipe: str, event: int) -> None:
        self.notes.append((site, event))

    def wait_flag(self, site: int, set_pipe: str, event: int) -> None:
        self.notes.append((site, event))

    def raise_flag(self, site: int, flag: int, mode: Mode) -> None:
        self.notes.append((site, flag))

    def await_flag(self, site: int, flag: int, mode: Mode) -> None:
        self.notes.append((site, flag))

    def barrier(self, site: int) -> None:
        self.notes.append(site)

    def barrier_all(self, site: int) -> None:
        self.notes.append(site)

    def load(self, site: int, tile: Tile, indices: tuple[int, ...]) -> int | float:
        self.notes.append(site)
        return 0

    def store(self, site: int, value: float, tile: Tile, indices: tuple[int, ...]) -> None:
        self.notes.append(site)

    def show(self, site: int, prefix: str, value: Operand, hexadecimal: bool = False) -> None:
        self.notes.append(site)


def _shape(operand: Operand) -> Hashable:
    """What of an operand decides the work: its sizes, on chip its place, a number's value."""
    if not isinstance(operand, Tile):
        return operand
    if operand.memory.space == "gm":
        return operand.sizes, operand.strides
    return operand.sizes, operand.strides, operand.span_bytes()[0]
