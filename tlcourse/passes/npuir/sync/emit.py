"""Writing the chosen flags and barriers into the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.dialects.rewriting import insert_after, insert_before
from tlcourse.passes.npuir.iteration import iteration, turn
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.simplify import constant
from tlcourse.passes.npuir.sync.model import ALL, Access, Node, Sync

_NONE = -1
_ARGUMENTS = 7
_PARITY = 4
_READY = {"a": 0, "b": 1}  # L1 tile A or B has arrived
_FREE = {"a": 2, "b": 3}  # L1 tile A or B has been read


@dataclass
class _Anchors:
    """What goes before and after each op, in order."""

    before: dict[Operation, list[Operation]] = field(
        default_factory=lambda: dict[Operation, list[Operation]]()
    )
    after: dict[Operation, list[Operation]] = field(
        default_factory=lambda: dict[Operation, list[Operation]]()
    )

    def put_before(self, node: Node, ops: Sequence[Operation]) -> None:
        self.before.setdefault(node.op, []).extend(ops)

    def put_after(self, node: Node, ops: Sequence[Operation]) -> None:
        self.after.setdefault(node.op, []).extend(ops)


def emit(function: func.FuncOp, syncs: Sequence[Sync], ids: Mapping[Sync, int | None]) -> None:
    """Writes flags, barriers and the sync arguments of matrix ops."""
    anchors = _Anchors()
    arguments: dict[MmadL1Op, dict[int, SSAValue]] = {}
    for op in function.walk():
        if isinstance(op, MmadL1Op):
            arguments[op] = {}
    carried = [sync for sync in syncs if sync.distance and not sync.is_barrier]
    for sync in (*carried, *(sync for sync in syncs if sync not in carried)):
        _Writer(function, anchors, arguments).write(sync, ids.get(sync))
    for op, ops in anchors.before.items():
        insert_before(op, ops)
    for op, ops in anchors.after.items():
        insert_after(op, ops)
    for op, slots in arguments.items():
        _set_arguments(function, op, slots)
    last = function.body.block.last_op
    assert last is not None
    insert_before(last, [PipeBarrierOp(ALL)])


@dataclass(frozen=True)
class _Writer:
    function: func.FuncOp
    anchors: _Anchors
    arguments: dict[MmadL1Op, dict[int, SSAValue]]

    def write(self, sync: Sync, first_id: int | None) -> None:
        if sync.is_barrier:
            self.anchors.put_before(sync.target, [PipeBarrierOp(sync.wait_pipe)])
            return
        if first_id is None:
            self._put_barriers(sync)
            return
        event = self._event(sync, first_id)
        self._put_set(sync, event)
        self._put_wait(sync, event)
        if sync.distance:
            self._put_around(sync, first_id)

    def _put_barriers(self, sync: Sync) -> None:
        """Without a free id: nothing runs ahead at the two places where a flag would hold."""
        self.anchors.put_before(sync.target, [PipeBarrierOp(ALL)])
        if sync.distance:
            self.anchors.put_after(sync.loop, [PipeBarrierOp(ALL)])

    def _event(self, sync: Sync, first_id: int) -> int | SSAValue:
        if sync.distance <= 1:
            return first_id
        return turn(self.function, sync.loop.op, sync.distance, first_id)

    def _put_set(self, sync: Sync, event: int | SSAValue) -> None:
        slot = self._slot(sync.source, sync.wait_pipe, _FREE)
        if slot is not None:
            self._argument(sync.source, slot, event)
            return
        op = SetFlagOp(sync.set_pipe, sync.wait_pipe, event)
        self.anchors.put_after(sync.source, [op])

    def _put_wait(self, sync: Sync, event: int | SSAValue) -> None:
        slot = self._slot(sync.target, sync.set_pipe, _READY)
        if slot is not None:
            self._argument(sync.target, slot, event)
            return
        op = WaitFlagOp(sync.set_pipe, sync.wait_pipe, event)
        self.anchors.put_before(sync.target, [op])

    def _put_around(self, sync: Sync, first_id: int) -> None:
        pipes = sync.set_pipe, sync.wait_pipe
        events = range(first_id, first_id + sync.distance)
        self.anchors.put_before(sync.loop, [SetFlagOp(*pipes, event) for event in events])
        self.anchors.put_after(sync.loop, [WaitFlagOp(*pipes, event) for event in events])

    def _slot(self, node: Node, partner: str, slots: Mapping[str, int]) -> int | None:
        """The argument of a matrix op that takes the flag, while it is free."""
        if not isinstance(node, Access) or partner != "PIPE_MTE2":
            return None
        slot = slots.get(node.slot)
        if slot is None or not isinstance(node.op, MmadL1Op):
            return None
        return None if slot in self.arguments[node.op] else slot

    def _argument(self, node: Node, slot: int, event: int | SSAValue) -> None:
        assert isinstance(node.op, MmadL1Op)
        value = event if isinstance(event, SSAValue) else constant(self.function, event, i64)
        self.arguments[node.op][slot] = value


def _set_arguments(function: func.FuncOp, op: MmadL1Op, slots: Mapping[int, SSAValue]) -> None:
    filled = dict(slots)
    loop = op.parent_op()
    if isinstance(loop, scf.ForOp):
        filled[_PARITY] = iteration(loop)
    none = constant(function, _NONE, i64)
    set_operands(op, "sync_related_args", [filled.get(i, none) for i in range(_ARGUMENTS)])
