"""What a launch hands to the generated code: tensors as memories, numbers, the workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from tlcourse import extents, work
from tlcourse.diagnostics import Label, error
from tlcourse.records import Program
from tlcourse.simulator.memory import Memory, in_gm
from tlcourse.simulator.tile import Tile

Buffer = torch.Tensor | int | float
Argument = Tile | int | float

_FIRST = 3  # ffts address, lock and workspace stand before the kernel's own parameters


@dataclass(frozen=True, kw_only=True)
class Launch:
    """The arguments of a launch.

    Args:
        arguments: what the generated code is called with.
        blocks: number of blocks that run, fewer than the grid's where each does several.
        workspace: the compiler's memory in GM, a share for each block.
        tensors: memories of tensor parameters by their place in the signature.
        shapes: their extents.
        written: memories in GM that the kernel writes, or reads although they hold poison.
        read: ids of memories in GM that it reads.
        fresh: ids of those that hold poison at the start.
    """

    arguments: tuple[Argument, ...]
    blocks: int
    workspace: Memory
    tensors: Mapping[int, Memory]
    shapes: Mapping[int, tuple[int, ...]]
    written: tuple[Memory, ...]
    read: frozenset[int]
    fresh: frozenset[int]


def bind(
    program: Program,
    buffers: Sequence[Buffer],
    symbols: Mapping[str, int],
    capacity: Mapping[str, int] | None = None,
) -> Launch:
    """Binds a launch; tensors are shared, never copied.

    Args:
        program: what is launched.
        buffers: tensors and numbers; with tensors on the meta device nothing can be computed.
        symbols: values of the symbols.
        capacity: elements of the device's block that starts with each tensor, if it is to count.

    Raises:
        TLError: TL410 the grid has no blocks, TL414 too many.
    """
    values = _values(program, buffers, symbols)
    logical = _grid(program, values)
    blocks = min(logical, program.options.get("physical_blocks") or logical)
    on_meta = any(isinstance(one, torch.Tensor) and one.is_meta for one in buffers)
    workspace = _workspace(program, values, blocks, "meta" if on_meta else "cpu")
    dtypes: Sequence[str] = program.options["arguments"]
    names, given = program.signature.parameters, iter(buffers)
    found = [symbols[p.name] if p.kind == "symbol" else next(given) for p in names]
    plain = {place: one for place, one in enumerate(found) if isinstance(one, torch.Tensor)}
    rooms = capacity or {}
    tensors = {
        place: in_gm(names[place].name, tensor, rooms.get(names[place].name, 0))
        for place, tensor in plain.items()
    }
    parameters = _parameters(found, tensors, dtypes)
    grid = [logical, 1, 1, 0, 0, 0][: max(len(dtypes) - _FIRST - len(parameters), 0)]
    gm = {_FIRST - 1: workspace, **{place + _FIRST: m for place, m in tensors.items()}}
    outputs = [id(m) for place, m in tensors.items() if place in program.signature.out_idx]
    fresh = frozenset([id(workspace), *outputs])
    read, written = (_used(program, gm, use) for use in "rw")
    return Launch(
        arguments=(*_head(workspace), *parameters, *grid),
        blocks=blocks,
        workspace=workspace,
        tensors=tensors,
        shapes={place: tuple(tensor.shape) for place, tensor in plain.items()},
        # A fresh memory that is only read would hand out poison, so it is followed as well.
        written=tuple(m for m in gm.values() if id(m) in written | (fresh & read)),
        read=read,
        fresh=fresh,
    )


def _parameters(
    found: Sequence[Buffer], tensors: Mapping[int, Memory], dtypes: Sequence[str]
) -> list[Argument]:
    """The kernel's own parameters, as the generated code takes them."""
    return [
        one if isinstance(one, (int, float)) else _whole(tensors[place], dtypes[place + _FIRST])
        for place, one in enumerate(found)
    ]


def _head(workspace: Memory) -> tuple[Argument, ...]:
    """The arguments in front of a kernel's own: address of the flags, lock and workspace."""
    lock = in_gm("lock", torch.zeros(64, dtype=torch.uint8))
    return 0, _whole(lock, "int8"), _whole(workspace, "int8")


def _used(program: Program, gm: Mapping[int, Memory], use: str) -> frozenset[int]:
    """Ids of the memories in GM that the kernel reads, use `r`, or writes, use `w`."""
    uses: Mapping[str, str] = program.options["gm"]
    return frozenset(id(m) for place, m in gm.items() if use in uses.get(str(place), ""))


def _values(
    program: Program, buffers: Sequence[Buffer], symbols: Mapping[str, int]
) -> dict[str, int]:
    """The integers that extents may name."""
    names = [p.name for p in program.signature.parameters if p.kind != "symbol"]
    scalars = {
        name: value for name, value in zip(names, buffers, strict=True) if isinstance(value, int)
    }
    return {**scalars, **symbols}


def _grid(program: Program, values: Mapping[str, int]) -> int:
    """The number of logical blocks: the first extent of the grid, a second one is a loop."""
    signature = program.signature
    grid = tuple(extents.evaluate(extent, values) for extent in signature.grid)
    if all(extent > 0 for extent in grid):
        work.check_blocks(grid[0], signature, program.sources)
        return grid[0]
    span = signature.grid_span
    raise error(
        "TL410",
        f"{signature.kernel} has no blocks to run: the grid ({', '.join(signature.grid)}) "
        f"is {grid}",
        why="each extent of T.Kernel must be 1 or more for the shapes of the call",
        fix="round up with T.ceildiv(M, block_M), and do not launch for empty tensors",
        labels=(Label(span=span, text=f"this is {grid}"),) if span else (),
        sources=program.sources,
    )


def _workspace(program: Program, values: Mapping[str, int], blocks: int, device: str) -> Memory:
    share_bytes = extents.evaluate(program.workspace_bytes_per_block, values)
    size = share_bytes * blocks
    # numpy's zeros cost nothing until they are touched; a block poisons its share as it starts.
    if device == "meta":
        cells = torch.empty(max(size, 2), dtype=torch.uint8, device=device)
    else:
        cells = torch.from_numpy(np.zeros(max(size, 2), dtype=np.uint8))
    memory = in_gm("the workspace", cells)
    memory.share_bytes = share_bytes
    memory.unit_bytes = int(program.options["workspace_unit_bytes"])
    return memory


def _whole(memory: Memory, dtype: str) -> Tile:
    tile = Tile(memory, dtype, 0, 0, (1,), (1,), memory.name)
    count = memory.size_bytes // tile.width
    return Tile(memory, dtype, 0, 0, (count,), (1,), memory.name)
