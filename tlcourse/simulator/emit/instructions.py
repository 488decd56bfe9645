"""Ops on pipes, flags and barriers as calls on the core."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, TensorType, i1
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import (
    BlockFlagOp,
    PipeBarrierOp,
    SetFlagOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    WaitFlagOp,
)
from tlcourse.simulator.emit.emitter import Emitter, dtype, tuple_text
from tlcourse.simulator.emit.refusals import refuse

_PIPES = {
    **{f"PIPE_{name}": name for name in ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL")},
    "VIRTUAL_PIPE_MTE2_L1A": "MTE2",
    "VIRTUAL_PIPE_MTE2_L1B": "MTE2",
}
_MODES = {
    "INTER_BLOCK_SYNCHRONIZATION": "BLOCK",
    "INTER_SUBBLOCK_SYNCHRONIZATION": "SUBBLOCK",
    "INTRA_BLOCK_SYNCHRONIZATION": "INTRA",
}


def emit(e: Emitter, op: Operation) -> bool:
    """Writes an op of a pipe or a flag; False where the op is none."""
    match op:
        case MmadL1Op():
            _matmul(e, op)
        case PipeOp():
            _instruction(e, op)
        case SetFlagOp():
            pipe, other = _pipe(e, op, op.set_pipe.data), _pipe(e, op, op.wait_pipe.data)
            facts = {"flag": _known(op.event), "wait_pipe": other}
            site = e.sites.add("set_flag", pipe, e.span(op), **facts)
            e.code.line(f"core.set_flag({site}, {other!r}, {flag_text(e, op.event)})")
        case WaitFlagOp():
            pipe, other = _pipe(e, op, op.wait_pipe.data), _pipe(e, op, op.set_pipe.data)
            site = e.sites.add("wait_flag", pipe, e.span(op))
            _wait(e, pipe, f"core.wait_flag({site}, {other!r}, {flag_text(e, op.event)})")
        case PipeBarrierOp():
            _barrier(e, op, _pipe(e, op, op.pipe.data))
        case SyncBlockSetOp():
            _raise_flag(e, op)
        case SyncBlockWaitOp():
            _await_flag(e, op)
        case DebugOp():
            site = e.sites.add("print", "S", e.span(op))
            shows_bits = ", True" if op.hex.value.data else ""
            # The library's print begins with a barrier over all pipes.
            e.code.line(f"yield core.barrier_all({site})")
            e.code.line(f"core.show({site}, {op.prefix.data!r}, {e.text(op.arg)}{shows_bits})")
        case _:
            return False
    return True


def mode_of(op: SyncBlockSetOp) -> str:
    """Which cores a raise joins: INTRA, SUBBLOCK or BLOCK."""
    mode = op.tsync_instr_mode
    return "INTRA" if mode is None else _MODES[mode.data]


def _instruction(e: Emitter, op: PipeOp) -> None:
    refuse(e, op)
    for value in (*op.sources(), *op.destinations()):
        if isinstance(value.type, MemRefType):
            dtype(e, op, value)
    pipe, cost = _pipe(e, op, op.pipe), op.cost
    facts = {"kind": cost.kind}
    if cost.cost_class:
        facts["cost_class"] = cost.cost_class
    if op.batch():
        facts["batch"] = op.batch()
    atomic = op.reads_destination() and any(space_of(d) == "gm" for d in op.destinations())
    marks = {
        mark: True
        for mark, holds in (("atomic", atomic), ("arranges", not op.pairs_elements()))
        if holds
    }
    site = e.sites.add(_short(op), pipe, e.span(op), **facts, **marks)
    name = f"op{site}"
    sources = list(op.sources())
    meaning(e, op, name, sources)
    parts = [
        str(site),
        name,
        tuple_text([e.text(value) for value in sources]),
        tuple_text([e.text(value) for value in op.destinations()]),
    ]
    scratch = _scratch(e, op)
    if scratch:
        parts.append(f"clobbers={tuple_text(scratch)}")
    if op.reads_destination():
        parts.append("accumulates=True")
    e.code.line(f"core.issue({', '.join(parts)})")


def meaning(e: Emitter, op: PipeOp, name: str, sources: list[SSAValue]) -> None:
    """The function that computes an op; scalar operands become tensors of the result's dtype."""
    names = [f"x{i}" for i in range(len(sources))]
    outputs = ["o", *(f"o{i}" for i in range(1, len(op.destinations())))]
    like = op.scalars_like().format(*names, o="o")
    statements = [
        f"{name} = numeric.scalar({name}, {like})"
        for name, value in zip(names, sources, strict=True)
        if not isinstance(value.type, (MemRefType, TensorType, IndexType)) and value.type != i1
    ]
    statements.append(op.meaning().format(*names, **{name: name for name in outputs}))
    e.code.meaning(name, [*names, *outputs], statements)


def _scratch(e: Emitter, op: PipeOp) -> list[str]:
    values: tuple[SSAValue, ...] = ()
    if "temp_buffer" in dict(op.get_irdl_definition().operands):
        values = tuple(op.values("temp_buffer"))
    return [e.text(value) for value in values]


def _matmul(e: Emitter, op: MmadL1Op) -> None:
    refuse(e, op)
    for value in (op.a, op.b, op.c):
        dtype(e, op, value)
    span = e.span(op)
    stage = e.sites.add("load_l0", "MTE1", span, kind="l0")
    site = e.sites.add(_short(op), "M", span, kind="mmad", batch=op.batch())
    sources = list(op.sources())
    name = f"op{site}"
    meaning(e, op, name, sources)
    turned = [f"{key}_transpose" in (op.properties | op.attributes) for key in "ab"]
    parts = [
        str(stage),
        str(site),
        name,
        tuple_text([e.text(value) for value in sources]),
        e.text(op.c),
        tuple_text([e.text(value) for value in op.sync_related_args[:4]]),
        repr(tuple(turned)),
    ]
    e.code.line(f"core.matmul({', '.join(parts)})")


def _barrier(e: Emitter, op: Operation, pipe: str) -> None:
    if pipe == "ALL":
        site = e.sites.add("barrier", "S", e.span(op))
        e.code.line(f"yield core.barrier_all({site})")
        return
    site = e.sites.add("barrier", pipe, e.span(op))
    e.code.line(f"core.barrier({site})")


def _raise_flag(e: Emitter, op: SyncBlockSetOp) -> None:
    pipe = _pipe(e, op, op.tpipe.data)
    if pipe == "ALL":
        _barrier(e, op, pipe)
        pipe = "S"
    site = e.sites.add("sync_block_set", pipe, e.span(op), flag=_known(op.flag), between_cores=True)
    e.code.line(f"core.raise_flag({site}, {flag_text(e, op.flag)}, {mode_of(op)!r})")


def _await_flag(e: Emitter, op: SyncBlockWaitOp) -> None:
    pipe = _pipe(e, op, op.pipe.data)
    pipe = "S" if pipe == "ALL" else pipe
    site = e.sites.add("sync_block_wait", pipe, e.span(op))
    _wait(e, pipe, f"core.await_flag({site}, {flag_text(e, op.flag)}, {wait_mode(op)!r})")


def wait_mode(op: SyncBlockWaitOp) -> str:
    """The mode of a wait: that of a barrier's raise of the same flag on the same core, if any."""
    function = op.parent_op()
    while function is not None and function.name != "func.func":
        function = function.parent_op()
    assert function is not None
    raises = [other for other in function.walk() if isinstance(other, SyncBlockSetOp)]
    modes = [mode_of(other) for other in raises if _same_flag(op, other)]
    return next((mode for mode in modes if mode != "INTRA"), "INTRA")


def _same_flag(op: BlockFlagOp, other: BlockFlagOp) -> bool:
    mine, theirs = _known(op.flag), _known(other.flag)
    return mine == theirs if mine >= 0 and theirs >= 0 else op.flag == other.flag


def _wait(e: Emitter, pipe: str, call: str) -> None:
    """Only a wait of the scalar unit holds up what is issued later."""
    e.code.line(f"yield {call}" if pipe == "S" else call)


def flag_text(e: Emitter, flag: int | SSAValue) -> str:
    """The id of a flag: a number or a name."""
    return str(flag) if isinstance(flag, int) else e.text(flag)


def _known(flag: int | SSAValue) -> int:
    """A flag id that is known before the run, else -1."""
    if isinstance(flag, int):
        return flag
    owner = flag.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return -1


def _pipe(e: Emitter, op: Operation, name: str) -> str:
    if name not in _PIPES:
        raise e.unknown(op, f"no core has {name}")
    return _PIPES[name]


def _short(op: Operation) -> str:
    return op.name.removeprefix("hivm.hir.")
