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

Where cv-pipelining has given a buffer several copies, each copy has such a second flag of its
own, numbered by the turn of the item loop. A flag counts how often it was raised; if ids run
short, the copies share one, raised once per copy before the loop.

Differs from upstream: one flag pair for each buffer; pairs that others imply are kept, and
two buffers never share an id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import error
from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.sync import SyncBlockSetOp, SyncBlockWaitOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import insert_after, insert_at_start, insert_before
from tlcourse.passes.npuir.cube_vector import core_of, device_functions

_COPIES = "multibuffer_unroll_factor"


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
    hand_overs = [
        _HandOver(writer=op, loads=loads)
        for op in function.walk()
        if isinstance(op, (FixpipeOp, StoreOp)) and (loads := _loads_of(op))
    ]
    wanted = sum(hand_over.ids(one_per_copy=True) for hand_over in hand_overs)
    one_per_copy = wanted <= DEFAULT_CHIP.cross_core_flag_ids
    flag = 0
    for hand_over in hand_overs:
        hand_over.write(flag, one_per_copy=one_per_copy)
        flag += hand_over.ids(one_per_copy=one_per_copy)
        _check(flag, hand_over.writer)


@dataclass(frozen=True, kw_only=True)
class _HandOver:
    """A tile in the workspace: who fills it, and who loads it."""

    writer: FixpipeOp | StoreOp
    loads: list[LoadOp]

    @property
    def source(self) -> _End:
        return _End(core=core_of(self.writer) or "CUBE", pipe=self.writer.pipe)

    @property
    def target(self) -> _End:
        return _End(core=core_of(self.loads[0]) or "VECTOR", pipe="PIPE_MTE2")

    @property
    def loop(self) -> scf.ForOp | None:
        return _common_loop(self.writer, self.loads[-1])

    @property
    def copies(self) -> int:
        """Copies of the tile that an item loop of cv-pipelining goes through."""
        loop = self.writer.parent_op()
        factor = loop.attributes.get(_COPIES) if isinstance(loop, scf.ForOp) else None
        return factor.value.data if isinstance(factor, IntegerAttr) and not self._whole() else 1

    def _whole(self) -> bool:
        return bool(self.writer.results)

    def ids(self, *, one_per_copy: bool) -> int:
        """Flags that the hand-over needs."""
        if self.loop is None:
            return 1
        return 1 + (self.copies if one_per_copy else 1)

    def write(self, flag: int, *, one_per_copy: bool) -> None:
        """Inserts the flags, numbered from `flag` on."""
        source, target = self.source, self.target
        insert_after(self.writer, [_set(source, flag)])
        insert_before(self.loads[0], [_wait(target, source, flag)])
        if self.loop is not None:
            self._give_back(self.loop, flag + 1, one_per_copy=one_per_copy)

    def _give_back(self, loop: scf.ForOp, first: int, *, one_per_copy: bool) -> None:
        """The reader says that a copy is free, the writer waits for it; all are at first."""
        source, target = self.source, self.target
        load, writer = self.loads[-1], self.writer
        by_turn = one_per_copy and self.copies > 1
        freed = _flag_of_turn(load, first) if by_turn else first
        taken = _flag_of_turn(writer, first) if by_turn else first
        insert_after(load, [_set(target, freed)])
        insert_before(writer, [_wait(source, target, taken)])
        flags = [first + copy if by_turn else first for copy in range(self.copies)]
        insert_before(loop, [_set(target, flag) for flag in flags], like=load)
        insert_after(loop, [_wait(source, target, flag) for flag in flags], like=writer)


def _flag_of_turn(op: Operation, first: int) -> SSAValue:
    """`first` + the turn of the item loop around an op, as an i64 at the top of its body."""
    loop = op.parent_op()
    assert isinstance(loop, scf.ForOp)
    turn = arith.IndexCastOp(loop.body.block.args[0], i64)
    start = arith.ConstantOp(IntegerAttr(first, i64))
    flag = arith.AddiOp(turn.result, start.result)
    insert_at_start(loop.body.block, [turn, start, flag], like=op)
    return flag.result


def _loads_of(writer: FixpipeOp | StoreOp) -> list[LoadOp]:
    """The loads that read what an op has put into the workspace."""
    place = writer.results[0] if writer.results else _workspace_behind(writer.dst)
    if place is None:
        return []
    return [op for op in _users(place) if isinstance(op, LoadOp)]


def _workspace_behind(value: SSAValue) -> SSAValue | None:
    while isinstance(value.owner, memref.SubviewOp):
        value = value.owner.source
    return value if isinstance(value.owner, AllocWorkspaceOp) else None


def _users(value: SSAValue) -> Iterator[Operation]:
    for use in value.uses:
        yield use.operation
        if isinstance(use.operation, (ToTensorOp, tensor.ExtractSliceOp)):
            yield from _users(use.operation.results[0])


def _set(end: _End, flag: int | SSAValue) -> SyncBlockSetOp:
    op = SyncBlockSetOp(end.core, end.pipe, "PIPE_S", flag)
    op.properties.pop("tsync_instr_mode")
    return op


def _wait(end: _End, setter: _End, flag: int | SSAValue) -> SyncBlockWaitOp:
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
