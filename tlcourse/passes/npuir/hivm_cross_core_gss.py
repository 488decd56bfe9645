"""hivm-cross-core-gss: flags that order the two kinds of core on the workspace.

Whoever fills a workspace buffer raises a flag when its mover has drained; whoever reads it
waits for that flag first.

```
%t = fixpipe ins(%r) outs(%w)          %t = fixpipe ins(%r) outs(%w)
%l = load ins(%t) ..           -->     sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0
                                       sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
                                       %l = load ins(%t) ..
```

In a loop the buffer is filled again, so a second flag goes the other way: the reader says
that the buffer is free, the writer waits for it. That flag is raised once before the loop
and taken back once after it, which keeps sets and waits in balance.

Differs from upstream: one flag pair for each buffer; pairs that others imply are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import error
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.sync import SyncBlockSetOp, SyncBlockWaitOp
from tlcourse.dialects.rewriting import insert_after, insert_before
from tlcourse.passes.npuir.cube_vector import core_of, device_functions


@dataclass(frozen=True, kw_only=True)
class _End:
    """One side of a hand-over: its core, and the pipe that moves the tile."""

    core: str
    pipe: str


@dataclass(frozen=True)
class HivmCrossCoreGSSPass(ModulePass):
    """Inserts the cross-core flags of every hand-over in the workspace."""

    name = "hivm-cross-core-gss"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in device_functions(op, "MIX"):
            _order(function)


def _order(function: func.FuncOp) -> None:
    flag = 0
    for writer in [op for op in function.walk() if isinstance(op, (FixpipeOp, StoreOp))]:
        loads = _loads_of(writer)
        if not loads:
            continue
        source = _End(core=core_of(writer) or "CUBE", pipe=writer.pipe)
        target = _End(core=core_of(loads[0]) or "VECTOR", pipe="PIPE_MTE2")
        insert_after(writer, [_set(source, flag)])
        insert_before(loads[0], [_wait(target, source, flag)])
        flag += 1
        loop = _common_loop(writer, loads[-1])
        if loop is not None:
            _give_back(loop, writer, loads[-1], source, target, flag)
            flag += 1
        _check(flag, writer)


def _loads_of(writer: FixpipeOp | StoreOp) -> list[LoadOp]:
    uses = writer.results[0].uses if writer.results else ()
    return [use.operation for use in uses if isinstance(use.operation, LoadOp)]


def _give_back(
    loop: scf.ForOp, writer: Operation, load: LoadOp, source: _End, target: _End, flag: int
) -> None:
    insert_after(load, [_set(target, flag)])
    insert_before(writer, [_wait(source, target, flag)])
    insert_before(loop, [_set(target, flag)], like=load)
    insert_after(loop, [_wait(source, target, flag)], like=writer)


def _set(end: _End, flag: int) -> SyncBlockSetOp:
    op = SyncBlockSetOp(end.core, end.pipe, "PIPE_S", flag)
    op.properties.pop("tsync_instr_mode")
    return op


def _wait(end: _End, setter: _End, flag: int) -> SyncBlockWaitOp:
    return SyncBlockWaitOp(end.core, setter.pipe, "PIPE_S", flag)


def _common_loop(first: Operation, second: Operation) -> scf.ForOp | None:
    """The outermost loop that holds both ops."""
    around = _loops(first)
    found = None
    for loop in _loops(second):
        if loop in around:
            found = loop
    return found


def _loops(op: Operation) -> list[scf.ForOp]:
    found: list[scf.ForOp] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ForOp):
            found.append(parent)
        parent = parent.parent_op()
    return found


def _check(used: int, writer: Operation) -> None:
    limit = DEFAULT_CHIP.cross_core_flag_ids
    if used > limit:
        raise error(
            "TL330",
            f"the kernel needs {used} cross-core flags, the chip has {limit}",
            why="each tile that crosses between the cube core and the vector cores takes a flag, "
            "inside a loop two",
            fix="let fewer tiles cross: keep what one kind of core can do on that core",
        )
