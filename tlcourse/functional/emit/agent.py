"""The source of one agent: a generator function that runs all blocks of a launch.

```python
def run(core, A, B):
    A_at = A.storage_offset()
    A_ub = torch.empty((64, 128), dtype=torch.float16)
    for cid in range(core.grid[0]):
        A_ub.fill_(nan)
        s = cid * 64
        if not 0 <= s <= 960:
            core.outside(3, 'A', 'reads', (s, 0), (64, 128), (1024, 128), ())
        A_ub.copy_(A.as_strided((64, 128), (128, 1), A_at + s * 128))  # 3
        yield None
```

It yields `(flag, place, loop turns)` where it waits for another core, and None after a block.
"""

from __future__ import annotations

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.signature import function_of, kernel_of
from tlcourse.functional.emit import buffers, scalars, tiles
from tlcourse.functional.emit.code import Code, SpanTable
from tlcourse.functional.emit.cores import users_on
from tlcourse.functional.emit.emitter import Emitter
from tlcourse.functional.emit.irregular import tile_statement
from tlcourse.functional.emit.steps import is_charged_outside, turn_cost
from tlcourse.functional.emit.storage import is_name, needs_poison, storage_dtype
from tlcourse.records import Parameter


def source_of(
    module: ModuleOp,
    core: tl.Core,
    parameters: tuple[Parameter, ...],
    table: SpanTable,
    sources: SourceMap,
    *,
    batched: bool = False,
) -> str:
    """The text of `run` for one kind of core; `batched` runs groups of blocks at once."""
    function, kernel = function_of(module), kernel_of(module)
    e = Emitter(code=Code(), table=table, sources=sources)
    e.blocks = e.code.hoist("n", "core.n") if batched else ""
    header = _arguments(e, function, parameters)
    for op in function.body.block.ops:
        if op is not kernel:
            _head(e, op)
    loops = _grid_loops(e, kernel)
    start = _allocate(e, kernel, core)
    _block(e, kernel.body.block, core)
    return e.code.assemble(header, loops, start)


def _arguments(e: Emitter, function: func.FuncOp, parameters: tuple[Parameter, ...]) -> str:
    names = [e.code.name(parameter.name, launch=True) for parameter in parameters]
    arguments = function.body.block.args
    for value, name, parameter in zip(arguments, names, parameters, strict=True):
        if isinstance(value.type, MemRefType):
            buffers.parameter(e, value, parameter.name, name)
        else:
            e.values[value] = name
    return f"def run({', '.join(['core', *names])}):"


def _grid_loops(e: Emitter, kernel: tl.KernelOp) -> list[str]:
    """The loops over blocks; a second dimension is a loop inside each block."""
    *blocks, vid = kernel.body.block.args
    names = [e.code.name(block.name_hint or "cid") for block in blocks]
    e.values |= dict(zip(blocks, names, strict=True))
    e.values[vid] = e.code.hoist("vid", "core.vid")
    e.loops += names[1:]
    loops = [f"for {name} in range(core.grid[{dim}]):" for dim, name in enumerate(names)]
    if e.blocks:
        e.shifting.add(names[0])
        loops[0] = f"for {names[0]} in core.groups:"
    elif any(isinstance(op, tl.BlockBarrierOp) for op in kernel.walk()):
        loops[0] = f"for {names[0]} in core.blocks:"
    return loops


def _allocate(e: Emitter, kernel: tl.KernelOp, core: tl.Core) -> list[str]:
    """Makes the buffers that a core uses and gives the lines that poison them in each block."""
    start: list[str] = []
    for op in kernel.walk():
        if not isinstance(op, tl.AllocOp) or not users_on(op.result, core):
            continue
        if is_name(op, core):
            poison = buffers.alloc_name(e, op)
        else:
            poison = buffers.alloc(e, op, storage_dtype(op, core))
        if needs_poison(op, core):
            start.append(poison)
    return start


def _head(e: Emitter, op: Operation) -> None:
    """Scalars that stand before the kernel: the same for all blocks."""
    match op:
        case func.ReturnOp():
            return
        case arith.ConstantOp():
            e.values[op.result] = scalars.constant(op)
        case _:
            text = scalars.expression(op, [e.scalar(operand) for operand in op.operands])
            name = e.code.name(op.results[0].name_hint, launch=True)
            e.code.head(f"{name} = {text}", e.tag(op))
            e.values[op.results[0]] = name


def _block(e: Emitter, block: Block, core: tl.Core) -> None:
    for op in block.ops:
        _statement(e, op, core)


def _statement(e: Emitter, op: Operation, core: tl.Core) -> None:
    match op:
        case tl.ScopeOp():
            if op.core.data == core:
                _block(e, op.body.block, core)
        case tl.ForOp():
            _loop(e, op, core)
        case scf.IfOp():
            _condition(e, op, core)
        case tl.RegionOp():
            if users_on(op.result, core):
                buffers.region(e, op)
        case tl.CopyOp():
            tiles.copy(e, op)
        case tl.BroadcastOp():
            tiles.broadcast(e, op)
        case tl.CastOp():
            tiles.cast(e, op)
        case tl.GemmOp():
            tiles.gemm(e, op)
        case tl.ElementwiseOp():
            tiles.elementwise(e, op)
        case tl.BitcastOp():
            tiles.bitcast(e, op)
        case tl.TileOp():
            tile_statement(e, op)
        case tl.PrintOp():
            tiles.show(e, op)
        case tl.LoadOp():
            buffers.load(e, op)
        case tl.StoreOp():
            buffers.store(e, op)
        case tl.SyncBlockSetOp():
            e.line(op, f"core.set({e.scalar(op.flag)}, {e.tag(op)})")
        case tl.SyncBlockWaitOp():
            e.line(op, f"yield {e.scalar(op.flag)}, {e.tag(op)}, {e.iteration()}")
        case tl.BarrierOp():
            scope = "block" if isinstance(op, tl.BlockBarrierOp) else "subblock"
            place = f"{e.scalar(op.flag)}, {e.tag(op)}, {e.iteration()}"
            e.line(op, f"yield core.barrier({scope!r}, {place})")
        case tl.AllocOp() | tl.SetFlagOp() | tl.WaitFlagOp() | tl.PipeBarrierOp() | scf.YieldOp():
            return
        case _:
            _scalar(e, op)


def _scalar(e: Emitter, op: Operation) -> None:
    match op:
        case arith.ConstantOp():
            e.values[op.result] = scalars.constant(op)
        case tl.LetOp():
            e.values[op.result] = e.scalar(op.value)
        case _:
            text = scalars.expression(op, [e.scalar(operand) for operand in op.operands])
            name = e.code.name(_hint(op.results[0]))
            e.line(op, f"{name} = {text}")
            e.values[op.results[0]] = name
            if e.shifts(text):
                e.shifting.add(name)


def _hint(value: SSAValue) -> str | None:
    """The learner's name of a scalar: its own, or that of the T.let that names it."""
    named = (use.operation for use in value.uses)
    return value.name_hint or next(
        (op.label.data for op in named if isinstance(op, tl.LetOp)), None
    )


def _loop(e: Emitter, op: tl.ForOp, core: tl.Core) -> None:
    lower, upper, tag = e.extent(op.lower), e.extent(op.upper), e.tag(op)
    if not is_charged_outside(op):
        turns = upper if lower == 0 else f"{upper} - {lower}"
        e.code.line(f"core.steps({turns}, {turn_cost(op, core)}, {tag})")
    name = e.code.name(op.variable.name_hint or "i")
    e.values[op.variable] = name
    span = upper if lower == 0 else f"{lower}, {upper}"
    e.loops.append(name)
    with e.block(f"for {name} in range({span}):", tag):
        _block(e, op.body.block, core)
    e.loops.pop()


def _condition(e: Emitter, op: scf.IfOp, core: tl.Core) -> None:
    with e.block(f"if {e.scalar(op.cond)}:", e.tag(op)):
        _block(e, op.true_region.block, core)
    if not op.false_region.blocks:
        return
    with e.block("else:"):
        _block(e, op.false_region.block, core)
