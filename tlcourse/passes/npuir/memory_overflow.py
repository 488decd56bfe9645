"""The message of a memory that is too small: which tiles fill it, at which line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Operation

from tlcourse.chips import Chip
from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.locations import point
from tlcourse.passes.npuir.buffers import kind_of, name_of
from tlcourse.passes.npuir.functions import kernel_name
from tlcourse.passes.npuir.labels import labels_of
from tlcourse.passes.npuir.lifetimes import Buffer
from tlcourse.passes.npuir.placement import Block
from tlcourse.records import MemoryMap, PlannedBuffer

_FRACTAL_RANK = 4
_MEMORY = {"ub": "UB", "cbuf": "L1", "ca": "L0A", "cb": "L0B", "cc": "L0C"}


@dataclass(eq=False)
class Overflow(TLError):
    """The error of a memory that is too small.

    Args:
        memory: the tiles that are alive together where it is fullest.
    """

    memory: MemoryMap | None = None


def overflow(
    function: func.FuncOp,
    groups: Sequence[Sequence[Buffer]],
    blocks: Sequence[Block],
    space: str,
    chip: Chip,
    needed_bytes: int,
) -> TLError:
    """The error of a memory whose buffers do not fit.

    Args:
        function: the device function.
        groups: buffers of the memory; those of one group share an address.
        blocks: what was placed, one per group.
        space: the memory.
        chip: the chip that sets the capacity.
        needed_bytes: the least that any attempt needed.
    """
    memory, capacity_bytes = _MEMORY[space], chip.sizes_bytes[space]
    alive = _fullest(blocks)
    together = [buffer for index in alive for buffer in groups[index]]
    largest = max(together, key=lambda buffer: (buffer.size_bytes, buffer.first))
    rows = _table([_row(groups[index], blocks[index]) for index in alive])
    told = error(
        "TL301",
        f"The tiles of {kernel_name(function)} need {needed_bytes:,} B of {memory}, which "
        f"holds {capacity_bytes:,} B on {chip.name}",
        why="these tiles are alive at the same time\n"
        f"    MEMORY MAP {memory}, {capacity_bytes:,} B\n{rows}",
        fix=f"make {name_of(largest.op.memref)} smaller (block_M, block_N, block_K), or use "
        "one tile for two purposes where the first is no longer needed",
        labels=labels_of(largest.op, f"{largest.size_bytes:,} B of {memory}"),
    )
    stacked = _stacked([groups[index] for index in alive], [blocks[index] for index in alive])
    found = MemoryMap(space=space, capacity_bytes=capacity_bytes, buffers=tuple(stacked))
    return Overflow(told.diagnostic, told.sources, memory=found)


def _stacked(
    groups: Sequence[Sequence[Buffer]], blocks: Sequence[Block]
) -> Iterator[PlannedBuffer]:
    """What is alive together, one above the other: there is no plan with an end below."""
    offset_bytes = 0
    for group, block in zip(groups, blocks, strict=True):
        yield PlannedBuffer(
            name=" = ".join(name_of(buffer.op.memref) for buffer in group),
            offset_bytes=offset_bytes,
            size_bytes=block.size_bytes,
            copies=block.copies,
            first=block.first,
            last=block.last,
        )
        offset_bytes += block.size_bytes * block.copies


def _fullest(blocks: Sequence[Block]) -> list[int]:
    """The blocks that are alive where most bytes are."""
    best: list[int] = []
    most_bytes = -1
    for position in sorted({block.first for block in blocks}):
        alive = [i for i, block in enumerate(blocks) if block.first <= position <= block.last]
        total_bytes = sum(blocks[i].size_bytes * blocks[i].copies for i in alive)
        if total_bytes > most_bytes:
            best, most_bytes = alive, total_bytes
    return best


def _row(group: Sequence[Buffer], block: Block) -> tuple[str, str, str, str]:
    names = " = ".join(name_of(buffer.op.memref) for buffer in group)
    first = min(group, key=lambda buffer: buffer.first).first_op
    last = max(group, key=lambda buffer: buffer.last).last_op
    copies = f" x {block.copies} copies" if block.copies > 1 else ""
    return names, _shape(group[0]), f"{block.size_bytes:,} B{copies}", _lines(first, last)


def _table(rows: Sequence[tuple[str, str, str, str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        f"    {name:<{widths[0]}}  {shape:<{widths[1]}}  {size:>{widths[2]}}  {lines}".rstrip()
        for name, shape, size, lines in rows
    )


def _shape(buffer: Buffer) -> str:
    """Rows, columns and dtype as the learner wrote them; blocks of the cube core are undone."""
    kind = kind_of(buffer.op.memref)
    extents = list(kind.get_shape())
    if buffer.space != "ub" and len(extents) == _FRACTAL_RANK:
        column_blocks, row_blocks, rows, columns = extents
        extents = [row_blocks * rows, column_blocks * columns]
    return f"{' x '.join(str(extent) for extent in extents)} {kind.element_type}"


def _lines(first: Operation, last: Operation) -> str:
    start, end = point(first.location), point(last.location)
    if start is None or end is None:
        return ""
    a, b = start.line.data, end.line.data
    return f"line {a}" if a == b else f"lines {a}-{b}"
