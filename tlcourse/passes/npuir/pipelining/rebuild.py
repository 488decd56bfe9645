"""Writing a loop anew: one round stands for N iterations, with a small loop per work item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    i32,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.attrs import CoreTypeAttr
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.locations import inherit
from tlcourse.dialects.memref import subview
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.pipelining.nodes import Graph, is_workspace_part, reads_of
from tlcourse.passes.npuir.pipelining.work_items import WorkItem

Values = dict[SSAValue, SSAValue]


@dataclass(kw_only=True)
class Rebuild:
    """The new loop while it grows.

    Args:
        graph: the old loop's body.
        items: its work items.
        depth: iterations in a round.
        round: the new loop.
        count: how many iterations the round at hand has.
        stacks: for each workspace tile, all copies as one tensor.
        kept: for each value that is handed on, its copies as one tensor.
        state: the carried values as they are after the items written so far.
    """

    graph: Graph
    items: Sequence[WorkItem]
    depth: int
    round: scf.ForOp
    zero: SSAValue
    one: SSAValue
    count: SSAValue
    workspaces: dict[AllocWorkspaceOp, AllocWorkspaceOp]
    stacks: dict[AllocWorkspaceOp, SSAValue]
    kept: Values = field(default_factory=lambda: Values())
    state: list[SSAValue] = field(default_factory=lambda: list[SSAValue]())

    def add(self, ops: Sequence[Operation]) -> None:
        """Puts ops at the end of the round."""
        inherit(list(ops), self.graph.loop.location)
        self.round.body.block.add_ops(ops)


def rebuild(graph: Graph, items: Sequence[WorkItem], depth: int) -> None:
    """Replaces the loop by its rounds."""
    work = _start(graph, items, depth)
    for item in items:
        _ItemLoop(work, item).write()
    work.add([scf.YieldOp(*work.state)])
    loop = graph.loop
    work.round.attributes |= loop.attributes
    for old, new in zip(loop.results, work.round.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    loop.detach()
    loop.erase(safe_erase=False)


def _start(graph: Graph, items: Sequence[WorkItem], depth: int) -> Rebuild:
    """The new loop with the number of iterations of a round, and nothing else in it yet."""
    loop = graph.loop
    steps = _round_step(loop.step, depth)
    zero, one = (arith.ConstantOp(IntegerAttr(number, IndexType())) for number in (0, 1))
    workspaces = {old: _with_copies(old, depth) for old in graph.workspaces.values()}
    body = Block(arg_types=[argument.type for argument in graph.body.args])
    for old, new in zip(graph.body.args, body.args, strict=True):
        new.name_hint = old.name_hint
    fresh = scf.ForOp(loop.lb, loop.ub, steps[-1].results[0], list(loop.iter_args), Region(body))
    insert_before(loop, [*steps, zero, one, *workspaces.values(), fresh])
    tiles = {old: ToTensorOp(new.result) for old, new in workspaces.items()}
    work = Rebuild(
        graph=graph,
        items=items,
        depth=depth,
        round=fresh,
        zero=zero.result,
        one=one.result,
        count=zero.result,
        workspaces=workspaces,
        stacks={old: tile.tensor for old, tile in tiles.items()},
        state=list(body.args[1:]),
    )
    work.count = _count(work)
    work.add(list(tiles.values()))
    return work


def _round_step(step: SSAValue, depth: int) -> list[Operation]:
    """Ops that make the step of a round; the last one has it."""
    known = constant_of(step)
    if known is not None:
        return [_number(known * depth, step)]
    factor = _number(depth, step)
    return [factor, arith.MuliOp(step, factor.result)]


def _number(number: int, like: SSAValue) -> arith.ConstantOp:
    """A constant of the type of another value."""
    if isinstance(like.type, IndexType):
        return arith.ConstantOp(IntegerAttr(number, IndexType()))
    return arith.ConstantOp(IntegerAttr(number, cast(IntegerType, like.type)))


def _with_copies(alloc: AllocWorkspaceOp, depth: int) -> AllocWorkspaceOp:
    kind = alloc.result.type
    assert isinstance(kind, MemRefType)
    return AllocWorkspaceOp(
        MemRefType(kind.element_type, [depth, *kind.get_shape()]), alloc.workspace_arg
    )


def _count(work: Rebuild) -> SSAValue:
    """Iterations of a round: N, in the last round what is left."""
    loop, now = work.graph.loop, work.round.body.block.args[0]
    trips = trips_of(loop)
    if trips is not None and trips % work.depth == 0:
        whole = arith.ConstantOp(IntegerAttr(work.depth, IndexType()))
        work.add([whole])
        return whole.result
    one, limit = (_number(n, loop.step) for n in (1, work.depth))
    rest = arith.SubiOp(loop.ub, now)
    before = arith.SubiOp(loop.step, one.result)
    padded = arith.AddiOp(rest.result, before.result)
    left = arith.DivSIOp(padded.result, loop.step)
    least = arith.MinSIOp(left.result, limit.result)
    work.add([one, limit, rest, before, padded, left, least])
    if isinstance(loop.step.type, IndexType):
        return least.result
    cast = arith.IndexCastOp(least.result, IndexType())
    work.add([cast])
    return cast.result


def trips_of(loop: scf.ForOp) -> int | None:
    """How often a loop runs, where that is known."""
    lower, upper, step = (constant_of(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or not step:
        return None
    return max(0, -(-(upper - lower) // step))


class _ItemLoop:
    """The small loop of one work item."""

    def __init__(self, work: Rebuild, item: WorkItem) -> None:
        self.work = work
        self.item = item
        self.known: Values = {}
        starts = [work.state[index] for index in item.carried]
        empty = [_copies_of(value, work.depth) for value in item.handed_on]
        work.add(empty)
        starts += [op.tensor for op in empty]
        body = Block(arg_types=[IndexType(), *(start.type for start in starts)])
        self.loop = scf.ForOp(work.zero, work.count, work.one, starts, Region(body))
        self.turn: BlockArgument = body.args[0]
        for index, argument in zip(item.carried, body.args[1:], strict=False):
            old = work.graph.body.args[index + 1]
            argument.name_hint = old.name_hint
            self.known[old] = argument
        self.stacks = dict(zip(item.handed_on, body.args[1 + len(item.carried) :], strict=True))

    @property
    def body(self) -> Block:
        return self.loop.body.block

    def write(self) -> None:
        """Writes the loop into the round and notes what it leaves."""
        for op in self.item.ops:
            for value in reads_of(op):
                self._provide(value)
            self._copy(op)
        yielded = self.work.graph.yielded()
        ends = [self.known[yielded[index]] for index in self.item.carried]
        ends += [self._put_away(value) for value in self.item.handed_on]
        self._add([scf.YieldOp(*ends)], self.work.graph.loop)
        core = CoreTypeAttr(self.item.core)
        self.loop.attributes["hivm.loop_core_type"] = core
        self.loop.attributes["multibuffer_unroll_factor"] = IntegerAttr(self.work.depth, i32)
        self.work.add([self.loop])
        results = list(self.loop.results)
        for index, result in zip(self.item.carried, results, strict=False):
            self.work.state[index] = result
        kept = results[len(self.item.carried) :]
        self.work.kept |= dict(zip(self.item.handed_on, kept, strict=True))

    def _add(self, ops: Sequence[Operation], like: Operation) -> None:
        inherit(list(ops), like.location)
        self.body.add_ops(ops)

    def _provide(self, value: SSAValue) -> None:
        """Makes a value of the old body known here, if it is one."""
        graph, owner = self.work.graph, value.owner
        if value in self.known:
            return
        if value is graph.body.args[0]:
            self.known[value] = self._iteration()
        elif not isinstance(owner, Operation) or owner.parent is not graph.body:
            return  # from outside, or from inside an op of the item
        elif owner in graph.workspaces:
            stack = self.work.stacks[graph.workspaces[owner]]
            self.known[value] = self._take(stack, value, owner)
        elif value in self.work.kept:
            self.known[value] = self._take(self.work.kept[value], value, owner)
        elif owner not in graph.of and not is_workspace_part(owner):
            for inner in owner.operands:
                self._provide(inner)
            self._add([owner.clone(self.known)], owner)

    def _iteration(self) -> SSAValue:
        """The old loop's counter: where the round began, and the turn's steps on."""
        loop = self.work.graph.loop
        kind = loop.step.type
        turn: SSAValue = self.turn
        ops: list[Operation] = []
        if not isinstance(kind, IndexType):
            cast = arith.IndexCastOp(turn, kind)
            ops.append(cast)
            turn = cast.result
        if constant_of(loop.step) != 1:
            scaled = arith.MuliOp(turn, loop.step)
            ops.append(scaled)
            turn = scaled.result
        now = arith.AddiOp(self.work.round.body.block.args[0], turn)
        now.result.name_hint = self.work.graph.body.args[0].name_hint
        self._add([*ops, now], loop)
        return now.result

    def _copy(self, op: Operation) -> None:
        place = self.work.graph.workspaces.get(op)
        if place is not None:
            self._fill(op, place)
            return
        made = op.clone(self.known)
        if isinstance(made, PipeOp) and op.results and op.results[0] in self.stacks:
            self._aim(made, op)
        self._add([made], op)

    def _fill(self, op: Operation, place: AllocWorkspaceOp) -> None:
        """The op that fills a workspace tile fills the copy whose turn it is."""
        new = self.work.workspaces[place]
        kind = place.result.type
        assert isinstance(kind, MemRefType)
        shape = list(kind.get_shape())
        part = subview(new.result, self._offsets(len(shape)), [1, *shape], shape)
        source = self.known.get(op.operands[0], op.operands[0])
        others = [self.known.get(value, value) for value in op.operands[2:]]
        made = type(op).create(
            operands=[source, part.result, *others],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self._add([part, made], op)

    def _aim(self, made: PipeOp, op: Operation) -> None:
        """Lets the maker of a value that is handed on write straight into its copy."""
        destination = made.destinations()[0]
        if not isinstance(destination.owner, tensor.EmptyOp):
            return
        part = self._slice(self.stacks[op.results[0]], tensor_type(op.results[0]))
        self._add([part], op)
        made.operands = [part.result if value is destination else value for value in made.operands]

    def _take(self, stack: SSAValue, value: SSAValue, like: Operation) -> SSAValue:
        part = self._slice(stack, tensor_type(value))
        self._add([part], like)
        return part.result

    def _put_away(self, value: SSAValue) -> SSAValue:
        shape = tensor_type(value).get_shape()
        into = tensor.InsertSliceOp.get(
            self.known[value], self.stacks[value], [1, *shape], offsets=[self.turn]
        )
        self._add([into], self.work.graph.loop)
        return into.result

    def _slice(self, stack: SSAValue, kind: TensorType) -> tensor.ExtractSliceOp:
        shape = kind.get_shape()
        rank = len(shape)
        return tensor.ExtractSliceOp(
            stack, self._offsets(rank), [1, *shape], [1] * (rank + 1), kind
        )

    def _offsets(self, rank: int) -> list[int | SSAValue]:
        return [self.turn, *[0] * rank]


def _copies_of(value: SSAValue, depth: int) -> tensor.EmptyOp:
    kind = tensor_type(value)
    op = tensor.EmptyOp([], TensorType(kind.element_type, [depth, *kind.get_shape()]))
    op.tensor.name_hint = value.name_hint
    return op
