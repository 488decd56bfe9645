"""Rules on loops of T.Parallel whose iterations use what others write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.lint.later import reads, writes
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import Statement, buffer_of


@dataclass(frozen=True, kw_only=True)
class _Access:
    """A tile or element that a statement of a loop reads or writes, and where it stands."""

    op: Operation
    buffer: SSAValue
    indices: tuple[SSAValue, ...]
    writes: bool


def _keeps_order(statement: Statement) -> bool:
    loop = _parallel(statement)
    if loop is None:
        return False
    accesses = list(_accesses(loop))
    stores = [access for access in accesses if isinstance(access.op, tl.StoreOp)]
    loads = [access for access in accesses if isinstance(access.op, tl.LoadOp)]
    if len(stores) != 1:
        return False
    return any(load.buffer is stores[0].buffer and not _same(load, stores[0]) for load in loads)


def _keeps_together(statement: Statement) -> bool:
    loop = _parallel(statement)
    if loop is None:
        return False
    accesses = list(_accesses(loop))
    written = [access for access in accesses if access.writes]
    if len({id(access.op) for access in written}) < 2:
        return False
    pairs = ((one, other) for one in written for other in accesses if other.op is not one.op)
    return any(
        one.buffer is other.buffer and not (_same(one, other) and _varies(one.indices, loop))
        for one, other in pairs
    )


def _parallel(statement: Statement) -> tl.ForOp | None:
    """The loop, if it is one of T.Parallel that stayed a loop."""
    is_parallel = isinstance(statement.op, tl.ForOp) and statement.name == "Parallel"
    return statement.op if is_parallel and isinstance(statement.op, tl.ForOp) else None


def _accesses(loop: tl.ForOp) -> Iterator[_Access]:
    for op in loop.body.block.ops:
        for is_write, values in ((False, reads(op)), (True, writes(op))):
            for value in values:
                yield _Access(
                    op=op,
                    buffer=buffer_of(value),
                    indices=_indices(op, value),
                    writes=is_write,
                )


def _indices(op: Operation, value: SSAValue) -> tuple[SSAValue, ...]:
    if isinstance(op, (tl.LoadOp, tl.StoreOp)):
        return tuple(op.indices)
    return tuple(value.owner.offsets) if isinstance(value.owner, tl.RegionOp) else ()


def _same(one: _Access, other: _Access) -> bool:
    return [_key(index) for index in one.indices] == [_key(index) for index in other.indices]


def _key(value: SSAValue) -> object:
    """What an index is computed from; equal for the same expression."""
    op = value.owner
    if isinstance(value, BlockArgument) or not isinstance(op, Operation):
        return id(value)
    if isinstance(op, tl.LoadOp):
        return id(op)
    return op.name, tuple(op.properties.values()), tuple(_key(operand) for operand in op.operands)


def _varies(values: Sequence[SSAValue], loop: tl.ForOp) -> bool:
    """Whether one of the values depends on the loop's variable."""
    for value in values:
        if value is loop.variable:
            return True
        if isinstance(value.owner, Operation) and _varies(value.owner.operands, loop):
            return True
    return False


LOOP_RULES = (
    Rule(
        id="parallel-order",
        row="`T.Parallel` whose stored tile is also loaded at another place",
        finds=_keeps_order,
        lowered=True,
        what="stores to a tile that it also loads at another place",
        why="upstream may make vector operations of the loop, which read what is stored already "
        "or not yet; tlcourse keeps a loop in order",
        fix="store to another tile, or write T.serial where the order is meant",
    ),
    Rule(
        id="parallel-calls",
        row="`T.Parallel` over calls, some of which cannot take the loop in",
        finds=_keeps_together,
        lowered=True,
        what="holds statements that use what others of another iteration write",
        why="upstream gives each statement a loop of its own, so the first one ends before the "
        "second one starts; tlcourse keeps one loop",
        fix="write T.serial, which keeps the statements together in both",
    ),
)
