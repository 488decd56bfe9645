"""One launch of a module at any stage of the AscendNPU IR phase."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue

from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hacc import FunctionKindAttr
from tlcourse.dialects.hivm.attrs import FuncCoreTypeAttr
from tlcourse.dialects.hivm.core import GetSubBlockIdxOp
from tlcourse.records import Program, Signature
from tlcourse.simulator import scalars
from tlcourse.simulator.arguments import bind
from tlcourse.simulator.emit import memrefs
from tlcourse.simulator.emit import scalars as scalar_ops
from tlcourse.simulator.emit.code import Code, SiteTable, SpanTable
from tlcourse.simulator.emit.emitter import Emitter, memref
from tlcourse.simulator.emit.function import source_of
from tlcourse.simulator.emit.host import workspace_bytes
from tlcourse.stages import emit, numeric
from tlcourse.stages.core import Board, Core, Kind

_KINDS: dict[str, Kind] = {"AIC": "cube", "AIV": "vector", "MIX": "mix"}
_PARTS = (emit.emit, scalar_ops.emit, memrefs.emit)

Buffer = torch.Tensor | int | float
Body = Callable[..., Generator[None]]


class StuckError(Exception):
    """Every core waits for a flag that none of them raises."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A module ready to run: a function per kind of core.

    Args:
        program: how a launch is bound.
        bodies: the functions.
        subs: vector cores in a group.
        chip: capacities of the memories.
    """

    program: Program
    bodies: Mapping[Kind, Body]
    subs: int
    chip: Chip

    def run(self, buffers: Sequence[Buffer], symbols: Mapping[str, int] | None = None) -> None:
        """Runs all blocks; tensors are written in place.

        Args:
            buffers: one entry per parameter of the signature that is no symbol: contiguous
                CPU tensors and numbers.
            symbols: values of the symbols.

        Raises:
            StuckError: the cores wait for each other.
            TLError: TL410, TL414 as for every launch.
        """
        launch = bind(self.program, buffers, symbols or {})
        board = Board()
        waiting = [
            self.bodies[core.kind](core, *launch.arguments)
            for block in range(launch.blocks)
            for core in self._cores(board, block, launch.blocks)
        ]
        for body in waiting:
            next(body)  # every body starts with an empty step
        while waiting:
            events = board.events
            left = [body for body in waiting if not _is_done(body)]
            if len(left) == len(waiting) and board.events == events:
                raise StuckError(f"{len(left)} cores wait for flags that nobody raises")
            waiting = left

    def _cores(self, board: Board, block: int, blocks: int) -> list[Core]:
        members: list[tuple[Kind, int]] = [
            (kind, sub)
            for kind in self.bodies
            for sub in range(self.subs if kind == "vector" else 1)
        ]
        return [
            Core(
                board,
                kind=kind,
                block=block,
                sub=sub,
                blocks=blocks,
                subs=self.subs,
                sizes_bytes=self.chip.sizes_bytes,
            )
            for kind, sub in members
        ]


def _is_done(body: Generator[None]) -> bool:
    """Runs a core to its next wait; whether it has come to its end."""
    try:
        next(body)
    except StopIteration:
        return True
    return False


def load(
    module: ModuleOp, signature: Signature, sources: SourceMap, chip: Chip = DEFAULT_CHIP
) -> Stage:
    """Makes a module of the AscendNPU IR phase ready to run.

    Args:
        module: tensors or buffers, one mixed function or one per kind of core, with or
            without addresses and flags. It is not changed.
        signature: how the kernel is launched.
        sources: the texts that the module's locations point into.
        chip: capacities of the memories.

    Raises:
        TLError: TL531 the module holds an op that has no meaning here.
    """
    functions = _functions(module)
    return Stage(
        program=Program(
            kind="simulator",
            signature=signature,
            agents=(),
            spans=(),
            workspace_bytes_per_block=workspace_bytes(module, signature),
            options={
                "arguments": [_argument(a) for a in next(iter(functions.values())).args],
                "gm": {},
                "workspace_unit_bytes": 1,
            },
        ),
        bodies={kind: _body(function, sources) for kind, function in functions.items()},
        subs=_subs(signature, functions),
        chip=chip,
    )


def _functions(module: ModuleOp) -> dict[Kind, func.FuncOp]:
    found: dict[Kind, func.FuncOp] = {}
    for op in module.body.block.ops:
        core = op.attributes.get("hivm.func_core_type")
        is_host = op.attributes.get("hacc.function_kind") == FunctionKindAttr("HOST")
        if isinstance(op, func.FuncOp) and isinstance(core, FuncCoreTypeAttr) and not is_host:
            found[_KINDS[core.data]] = op
    return found


def _argument(value: SSAValue) -> str:
    is_tensor = isinstance(value.type, MemRefType)
    return dtype_of(memref(value).element_type if is_tensor else value.type).name


def _subs(signature: Signature, functions: Mapping[Kind, func.FuncOp]) -> int:
    """Vector cores in a group: one until the work of a Developer kernel is shared by two."""
    if "cube" not in functions or "vector" not in functions:
        return 1
    asks = any(isinstance(op, GetSubBlockIdxOp) for op in functions["vector"].walk())
    return 2 if asks or signature.mode == "Expert" else 1


def _body(function: func.FuncOp, sources: SourceMap) -> Body:
    e = Emitter(code=Code(), sites=SiteTable(), spans=SpanTable(), sources=sources, names={})
    source = source_of(e, function, _PARTS)
    names: dict[str, Any] = {"torch": torch, "numeric": numeric, "scalars": scalars}
    exec(compile(source, f"<stage, {function.sym_name.data}>", "exec"), names)
    return names["run"]
