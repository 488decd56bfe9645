"""The generator function of one kind of core: control flow around calls on the core."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.core import (
    FinishDebugOp,
    GetBlockIdxOp,
    GetBlockNumOp,
    GetSubBlockIdxOp,
    GetSubBlockNumOp,
    InitDebugOp,
    SetFFTSBaseAddrOp,
    SetMaskNormOp,
)
from tlcourse.simulator.emit import instructions, memrefs, scalars
from tlcourse.simulator.emit.emitter import Emitter, Part
from tlcourse.simulator.emit.steps import is_charged_outside, turn_cost

_IDS: dict[type[Operation], str] = {
    GetBlockIdxOp: "core.block_id",
    GetSubBlockIdxOp: "core.sub",
    GetBlockNumOp: "core.blocks",
    GetSubBlockNumOp: "core.subs",
}
_SILENT = (
    SetFFTSBaseAddrOp,
    SetMaskNormOp,
    InitDebugOp,
    FinishDebugOp,
    MarkOp,
    func.ReturnOp,
)


PARTS: tuple[Part, ...] = (scalars.emit, memrefs.emit, instructions.emit)


def source_of(e: Emitter, function: func.FuncOp, parts: Sequence[Part] = PARTS) -> str:
    """The text of `run` for a device function; `parts` write what is no control flow."""
    e.parts = tuple(parts)
    parameters = [f"a{i}" for i in range(len(function.body.block.args))]
    e.values |= dict(zip(function.body.block.args, parameters, strict=True))
    _block(e, function.body.block)
    return e.code.text(parameters)


def _block(e: Emitter, block: Block) -> None:
    for op in block.ops:
        _statement(e, op)


def _statement(e: Emitter, op: Operation) -> None:
    if isinstance(op, (*_SILENT, scf.YieldOp)):
        return
    if type(op) in _IDS:
        e.values[op.results[0]] = _IDS[type(op)]
    elif isinstance(op, scf.ForOp):
        _loop(e, op)
    elif isinstance(op, scf.IfOp):
        _condition(e, op)
    elif not any(part(e, op) for part in e.parts):
        raise e.unknown(op)


def _loop(e: Emitter, op: scf.ForOp) -> None:
    variable, *carried = op.body.block.args
    for value, start in zip(carried, op.iter_args, strict=True):
        e.let(value, e.text(start))
    name = e.code.name()
    e.values[variable] = name
    bounds = ", ".join(e.text(value) for value in (op.lb, op.ub, op.step))
    e.loops.append(name)
    cost = 0 if is_charged_outside(op) else turn_cost(op)
    with e.code.block(f"for {name} in core.loop({bounds}, {e.span(op)}, {cost}):"):
        e.turn()
        _block(e, op.body.block)
        _hand_on(e, op.body.block, [e.text(value) for value in carried])
    e.loops.pop()
    e.turn()
    for result, value in zip(op.results, carried, strict=True):
        e.let(result, e.text(value))


def _condition(e: Emitter, op: scf.IfOp) -> None:
    names = [e.code.name() for _ in op.results]
    with e.code.block(f"if {e.text(op.cond)}:"):
        _block(e, op.true_region.block)
        _hand_on(e, op.true_region.block, names)
    if op.false_region.blocks:
        with e.code.block("else:"):
            _block(e, op.false_region.block)
            _hand_on(e, op.false_region.block, names)
    e.values |= dict(zip(op.results, names, strict=True))


def _hand_on(e: Emitter, block: Block, names: list[str]) -> None:
    """Gives the names what the block yields, all at once."""
    if not names:
        return
    last = block.last_op
    assert isinstance(last, scf.YieldOp)
    values = ", ".join(e.text(value) for value in last.operands)
    e.code.line(f"{', '.join(names)} = {values}")
