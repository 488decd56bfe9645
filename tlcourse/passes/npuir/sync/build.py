"""From IR to statements: the pipe of each op and the bytes that it touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import DebugOp, PointerCastOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.custom import CustomMacroOp, CustomOp
from tlcourse.dialects.hivm.sync import PipeBarrierOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.passes.npuir.buffers import is_static, kind_of, memref_kind, roots, size_bytes
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.functions import argument_for
from tlcourse.passes.npuir.sync.model import (
    EVERYWHERE,
    Access,
    Barrier,
    Body,
    Branch,
    Loop,
    Node,
    Place,
)
from tlcourse.passes.npuir.sync.slots import buffers_of, pipes_of


def build(function: func.FuncOp, *, ignore_workspace: bool = False) -> Body:
    """The statements of a function whose buffers have addresses.

    Args:
        function: the function.
        ignore_workspace: what lies in the workspace is not looked at, as other flags order it.
    """
    ignored = argument_for(function, "workspace") if ignore_workspace else None
    return _Builder(ignored=ignored).body(function.body.block, None)


def refuse_unit_flags(*, asked: bool) -> None:
    """Takes only `false` for the option enable-unit-flag.

    Raises:
        ValueError: unit flags are asked for.
    """
    if asked:
        raise ValueError("unit flags are not placed here, so enable-unit-flag is false")


@dataclass
class _Builder:
    ignored: SSAValue | None = None
    loops: dict[Operation, Loop] = field(default_factory=lambda: dict[Operation, Loop]())

    def body(self, block: Block, owner: Loop | Branch | None) -> Body:
        body = Body(owner=owner)
        for op in block.ops:
            body.nodes += self._nodes(op)
        return body

    def _nodes(self, op: Operation) -> Iterable[Node]:
        if isinstance(op, scf.ForOp):
            return [self._loop(op)]
        if isinstance(op, scf.IfOp):
            branch = Branch(op=op, bodies=[])
            regions = [region for region in op.regions if region.blocks]
            branch.bodies += [self.body(region.block, branch) for region in regions]
            return [branch]
        if isinstance(op, PipeBarrierOp):
            return [Barrier(op=op, pipe=op.pipe.data)]
        if isinstance(op, MmadL1Op):
            return self._matrix(op)
        if isinstance(op, CustomOp | CustomMacroOp):
            return self._custom(op)
        return self._plain(op)

    def _loop(self, op: scf.ForOp) -> Loop:
        loop = Loop(op=op, trips=_trips(op))
        self.loops[op] = loop
        loop.body = self.body(op.body.block, loop)
        return loop

    def _matrix(self, op: MmadL1Op) -> list[Node]:
        to_l0a = Access(op=op, pipe="PIPE_MTE1", reads=self._places([op.a]), writes=(), slot="a")
        to_l0b = Access(op=op, pipe="PIPE_MTE1", reads=self._places([op.b]), writes=(), slot="b")
        sums = self._places([op.c])
        return [to_l0a, to_l0b, Access(op=op, pipe="PIPE_M", reads=sums, writes=sums, slot="c")]

    def _custom(self, op: CustomOp | CustomMacroOp) -> list[Node]:
        """Each of its pipes may touch all of its buffers."""
        reads = self._places(buffers_of([*op.inputs, *op.outputs]))
        writes = self._places(buffers_of([*op.outputs, *op.temp_buffers]))
        pipes = pipes_of(op) if reads or writes else ()
        return [Access(op=op, pipe=pipe, reads=reads, writes=writes) for pipe in pipes]

    def _plain(self, op: Operation) -> list[Node]:
        touched = _touched(op)
        if touched is None:
            return []
        pipe, reads, writes = touched
        found = Access(op=op, pipe=pipe, reads=self._places(reads), writes=self._places(writes))
        return [found] if found.reads or found.writes else []

    def _places(self, values: Iterable[SSAValue]) -> tuple[Place, ...]:
        places = (place for value in values for place in self._behind(value))
        return tuple(dict.fromkeys(places))

    def _behind(self, value: SSAValue) -> Iterator[Place]:
        if memref_kind(value) is None:
            return
        for root in roots(value):
            if isinstance(root.owner, PointerCastOp):
                yield self._planned(root.owner)
                continue
            place = _in_gm(root)
            if self.ignored is None or place.memory is not self.ignored:
                yield place

    def _planned(self, op: PointerCastOp) -> Place:
        addresses = [constant_of(address) for address in op.addrs]
        memory, kind = space_of(op.result), kind_of(op.result)
        if None in addresses or not is_static(kind):
            return Place(memory=memory, ranges=(EVERYWHERE,))
        bytes_each = size_bytes(kind)
        ranges = tuple((a, a + bytes_each) for a in addresses if a is not None)
        loop = self._loop_around(op) if len(ranges) > 1 else None
        if loop is not None:
            loop.copies = max(loop.copies, len(ranges))
        return Place(memory=memory, ranges=ranges, loop=loop)

    def _loop_around(self, op: Operation) -> Loop | None:
        parent = op.parent_op()
        while parent is not None and parent not in self.loops:
            parent = parent.parent_op()
        return None if parent is None else self.loops[parent]


def _touched(op: Operation) -> tuple[str, Sequence[SSAValue], Sequence[SSAValue]] | None:
    """Pipe, values read and values written; None for an op that touches no buffer."""
    match op:
        case PipeOp():
            written = [*op.destinations(), *_scratch(op)]
            read = [*op.sources(), *(op.destinations() if op.reads_destination() else ())]
            return op.pipe, read, written
        case memref.LoadOp():
            return "PIPE_S", [op.memref], []
        case memref.StoreOp():
            return "PIPE_S", [], [op.memref]
        case DebugOp():
            return "PIPE_S", [op.arg], []
        case _:
            return None


def _scratch(op: PipeOp) -> Sequence[SSAValue]:
    names = [name for name, _ in op.get_irdl_definition().operands]
    return op.values("temp_buffer") if "temp_buffer" in names else ()


def _in_gm(root: SSAValue) -> Place:
    """A buffer in GM. Two arguments are two buffers; views of one may always meet."""
    op = root.owner
    if isinstance(op, AllocWorkspaceOp) and op.workspace_arg is not None:
        offsets = [constant_of(offset) for offset in op.offset]
        if offsets and None not in offsets and is_static(kind_of(op.result)):
            bytes_each = size_bytes(kind_of(op.result))
            ranges = tuple((o, o + bytes_each) for o in offsets if o is not None)
            return Place(memory=op.workspace_arg, ranges=ranges)
        return Place(memory=op.workspace_arg, ranges=(EVERYWHERE,))
    return Place(memory=root, ranges=(EVERYWHERE,))


def _trips(op: scf.ForOp) -> int | None:
    lower, upper, step = (constant_of(value) for value in (op.lb, op.ub, op.step))
    if lower is None or upper is None or not step:
        return None
    return max(0, -(-(upper - lower) // step))
