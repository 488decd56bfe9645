"""From Tile IR to a functional Program: the one door of this package to xDSL."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.expansion import expanded
from tlcourse.dialects.locations import span_of
from tlcourse.dialects.signature import function_of, kernel_of, signature
from tlcourse.functional.emit.access import is_read
from tlcourse.functional.emit.agent import source_of
from tlcourse.functional.emit.batching import blocks_together
from tlcourse.functional.emit.code import SpanTable
from tlcourse.functional.emit.cores import cores_of, runs_on
from tlcourse.functional.emit.steps import block_cost, constant_of
from tlcourse.records import AgentCode, Parameter, Program


def generate(tile: ModuleOp, sources: SourceMap) -> Program:
    """Writes the Python of each kind of core that a kernel needs.

    Args:
        tile: stamped Tile IR, after the TIR phase or before any of its passes; not changed.
        sources: the texts that its locations point into.

    Returns:
        a Program of plain data. The same IR gives the same text, line for line.
    """
    table = SpanTable()
    tile = expanded(tile)
    launch = signature(tile, sources)
    agents = tuple(
        AgentCode(agent=core, source=source_of(tile, core, launch.parameters, table, sources))
        for core in cores_of(tile)
    )
    steps = {core: block_cost(kernel_of(tile), core) for core in cores_of(tile)}
    options = {
        "sync": _sync_sites(tile, table, sources),
        "block_steps": steps,
        "meets": any(isinstance(op, tl.BlockBarrierOp) for op in tile.walk()),
        "batched": _batched(tile, launch.parameters, table, sources),
        "read": _read(tile, launch.parameters),
    }
    return Program(
        kind="functional",
        signature=launch,
        agents=agents,
        spans=table.spans(),
        sources=dict(sources),
        options=options,
    )


def _batched(
    tile: ModuleOp, parameters: tuple[Parameter, ...], table: SpanTable, sources: SourceMap
) -> dict[str, str | int] | None:
    """The code that runs groups of blocks at once, where the kernel allows it."""
    blocks = blocks_together(tile)
    if blocks == 1:
        return None
    (core,) = cores_of(tile)
    source = source_of(tile, core, parameters, table, sources, batched=True)
    return {"blocks": blocks, "source": source}


def _read(tile: ModuleOp, parameters: tuple[Parameter, ...]) -> list[str]:
    """Names of the parameters that the kernel may read."""
    arguments = function_of(tile).body.block.args
    pairs = zip(parameters, arguments, strict=True)
    return [parameter.name for parameter, value in pairs if any(map(is_read, value.uses))]


def _sync_sites(
    tile: ModuleOp, table: SpanTable, sources: SourceMap
) -> list[dict[str, str | int | None]]:
    """Every cross-core set and wait: which core runs it, which flag, where. For reports."""
    return [
        {
            "core": core,
            "action": "set" if isinstance(op, tl.SyncBlockSetOp) else "wait",
            "flag": constant_of(op.flag),
            "place": table.index(span_of(op, sources)),
        }
        for core in cores_of(tile)
        for op in kernel_of(tile).walk()
        if isinstance(op, (tl.SyncBlockSetOp, tl.SyncBlockWaitOp)) and runs_on(op, core)
    ]
