"""From executable HIVM to a simulator Program: the door of this package to xDSL."""

from __future__ import annotations

from typing import Literal

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Attribute, SSAValue

from tlcourse.chips import Chip
from tlcourse.diagnostics import SourceMap, error
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hacc import FunctionKindAttr
from tlcourse.dialects.hivm.attrs import FuncCoreTypeAttr
from tlcourse.dialects.hivm.sync import SyncBlockSetOp
from tlcourse.records import AgentCode, Program, Signature
from tlcourse.simulator.emit import taint, uses
from tlcourse.simulator.emit.code import Code, SiteTable, SpanTable
from tlcourse.simulator.emit.emitter import Emitter, memref
from tlcourse.simulator.emit.function import source_of
from tlcourse.simulator.emit.host import workspace_bytes
from tlcourse.simulator.emit.instructions import mode_of
from tlcourse.simulator.emit.plan import memory_maps, placed
from tlcourse.simulator.emit.steps import block_cost

_AGENTS: dict[str, Literal["cube", "vector"]] = {"AIC": "cube", "AIV": "vector"}


def generate(executable: ModuleOp, signature: Signature, sources: SourceMap, chip: Chip) -> Program:
    """Writes the Python of each kind of core that a kernel needs.

    Args:
        executable: the module just before `convert-hivm-to-std`, affine ops lowered: buffers
            with addresses, flags, one function per kind of core, host functions for the
            workspace. It is not changed.
        signature: how the kernel is launched.
        sources: the texts that the module's locations point into.
        chip: its memory sizes stand in the memory map.

    Returns:
        a Program of plain data. The same module gives the same text, line for line.

    Raises:
        TLError: TL531 the module holds an op that cannot be simulated.
    """
    functions = device_functions(executable, sources)
    spans, sites = SpanTable(), SiteTable()
    buffers = placed(functions.values(), sources)
    agents: list[AgentCode] = []
    for agent, function in functions.items():
        emitter = Emitter(
            code=Code(),
            sites=sites,
            spans=spans,
            sources=sources,
            names={entry.value: entry.buffer.name for entry in buffers},
        )
        agents.append(AgentCode(agent=agent, source=source_of(emitter, function)))
    return Program(
        kind="simulator",
        signature=signature,
        agents=tuple(agents),
        spans=spans.spans(),
        workspace_bytes_per_block=workspace_bytes(executable, signature),
        memory=memory_maps(buffers, chip),
        sources=dict(sources),
        options=_options(functions, sites),
    )


def device_functions(
    module: ModuleOp, sources: SourceMap
) -> dict[Literal["cube", "vector"], func.FuncOp]:
    """The device functions by kind of core.

    Raises:
        TLError: TL531 there is none, or one that is not split yet.
    """
    found: dict[Literal["cube", "vector"], func.FuncOp] = {}
    for op in module.body.block.ops:
        kind = op.attributes.get("hacc.function_kind")
        core = op.attributes.get("hivm.func_core_type")
        if not isinstance(op, func.FuncOp) or kind == FunctionKindAttr("HOST"):
            continue
        if not isinstance(core, FuncCoreTypeAttr) or core.data not in _AGENTS:
            raise _not_executable(f"{op.sym_name.data} is not split into cores", sources)
        found[_AGENTS[core.data]] = op
    if not found:
        raise _not_executable("it has no function for a core", sources)
    return found


def _options(
    functions: dict[Literal["cube", "vector"], func.FuncOp], sites: SiteTable
) -> dict[str, object]:
    bodies = list(functions.values())
    raises = [op for body in bodies for op in body.walk() if isinstance(op, SyncBlockSetOp)]
    return {
        "sites": sites.rows,
        "lanes": True,
        "arguments": _argument_dtypes(bodies[0]),
        "gm": uses.gm_uses(bodies),
        "workspace_unit_bytes": uses.smallest_view_bytes(bodies),
        "block_steps": {agent: block_cost(body) for agent, body in functions.items()},
        "block_control": taint.on_block(bodies),
        "data_control": taint.on_data(bodies),
        "physical_blocks": _physical_blocks(bodies),
        "block_barrier": any(mode_of(op) == "BLOCK" for op in raises),
    }


def _physical_blocks(bodies: list[func.FuncOp]) -> int:
    """Blocks that a launch starts where each does the work of several; 0 for all of the grid."""
    loops = [op for body in bodies for op in body.walk() if isinstance(op, scf.ForOp)]
    steps = [loop.step.owner for loop in loops if "autoblockify.subloop" in loop.attributes]
    values = [step.value for step in steps if isinstance(step, arith.ConstantOp)]
    return max((v.value.data for v in values if isinstance(v, IntegerAttr)), default=0)


def _argument_dtypes(function: func.FuncOp) -> list[str]:
    """The dtype of each argument, of a tensor that of its elements."""
    return [dtype_of(_element(argument)).name for argument in function.body.block.args]


def _element(value: SSAValue) -> Attribute:
    return memref(value).element_type if isinstance(value.type, MemRefType) else value.type


def _not_executable(reason: str, sources: SourceMap) -> Exception:
    return error(
        "TL531",
        f"the simulator cannot run this module: {reason}",
        why="it runs executable HIVM: one function per kind of core, with addresses and flags",
        fix="run all passes of the pipeline before the simulator",
        sources=sources,
    )
