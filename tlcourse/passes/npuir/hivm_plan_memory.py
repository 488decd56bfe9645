"""Pass hivm-plan-memory: every on-chip buffer gets its address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Chip
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import kind_of
from tlcourse.passes.npuir.carried_buffers import settle_carried_buffers
from tlcourse.passes.npuir.constant_order import ConstantOrder
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.hivm_mark_multi_buffer import ATTRIBUTE
from tlcourse.passes.npuir.lifetimes import Buffer, buffers_of, in_place_pairs, order_of
from tlcourse.passes.npuir.memory_overflow import overflow
from tlcourse.passes.npuir.placement import (
    Block,
    Placement,
    any_pipes,
    in_a_row,
    same_pipes,
    shared,
)
from tlcourse.passes.npuir.plan_workspace import plan_workspace

LOCAL = "local-mem-plan"
GLOBAL = "global-work-space-plan"


@dataclass(frozen=True)
class HivmPlanMemoryPass(DevicePass):
    """Turns allocations into fixed byte addresses of their memory.

    ```
    %a = memref.alloc() : memref<64x128xf32, ub>
    %b = memref.alloc() : memref<64x128xf32, ub>
      -->
    %a = hivm.hir.pointer_cast(%c0_i64) : memref<64x128xf32, ub>
    %b = hivm.hir.pointer_cast(%c32768_i64) : memref<64x128xf32, ub>
    ```

    Algorithm, for each memory:
    0. A loop that carries buffers keeps each at one address, if need be by a copy.
    1. A buffer is alive from its first use to its last, through all views of it. A buffer
       that stands before a loop is alive during the whole loop.
    2. If an elementwise op is the last to read one buffer and the first to write another,
       the two become one (in place).
    3. Sizes are rounded up to the granule of the memory; a mark asks for several copies.
    4. If all fit in a row, so they stand. Else buffers with disjoint lives share: first only
       those of the same pipes, which adds no waiting, then any. If that fails too, it is
       tried once more with one copy each.

    With `mem-plan-mode=global-work-space-plan` it gives the buffers in the workspace, which
    cube and vector cores share, their offsets: one behind the other, none shared.

    Differs from upstream: of its three levels of sharing the middle one (a single buffer
    that shares with a double one is doubled too) is left out. Upstream's driver starts the
    compile over without multi-buffering; here the pass itself drops the copies.

    Raises:
        TL301: the buffers do not fit; the message shows the memory at its fullest.
        TL304: a buffer's size is not known when compiling.
    """

    name = "hivm-plan-memory"

    chip: str = DEFAULT_CHIP.name
    mem_plan_mode: str = LOCAL

    def run(self, function: func.FuncOp) -> None:
        if self.mem_plan_mode == GLOBAL:
            plan_workspace(function)
            return
        carried = settle_carried_buffers(function)
        order = order_of(function)
        buffers = buffers_of(function, order)
        by_op = {buffer.op: buffer for buffer in buffers}
        carried = [(by_op[made], by_op[start]) for made, start in carried if made in by_op]
        pairs = list(in_place_pairs(buffers, order))
        planned: dict[Buffer, tuple[int, ...]] = {}
        for space in dict.fromkeys(buffer.space for buffer in buffers):
            groups = _groups([b for b in buffers if b.space == space], carried, pairs)
            addresses = _plan(function, groups, space, CHIPS[self.chip])
            for group, own in zip(groups, addresses, strict=True):
                planned |= dict.fromkeys(group, own)
        constants = ConstantOrder.of(function)
        for buffer in buffers:
            _rewrite(constants, buffer, planned[buffer])
        _to_loop_starts(function)


def _groups(
    buffers: Sequence[Buffer],
    carried: Sequence[tuple[Buffer, Buffer]],
    in_place: Sequence[tuple[Buffer, Buffer]],
) -> list[list[Buffer]]:
    """Buffers that lie at one address: a loop carries them, or one is written over another."""
    group_of: dict[Buffer, list[Buffer]] = {buffer: [buffer] for buffer in buffers}
    for made, start in carried:
        if made in group_of:
            _merge(group_of, made, start)
    for born, dies in in_place:
        if born in group_of and _fits_over(group_of[born], group_of[dies]):
            _merge(group_of, born, dies)
    unique = {id(group): group for group in group_of.values()}
    return list(unique.values())


def _merge(group_of: dict[Buffer, list[Buffer]], one: Buffer, other: Buffer) -> None:
    added = group_of[one]
    if added is group_of[other]:
        return
    group_of[other] += added
    for buffer in added:
        group_of[buffer] = group_of[other]


def _fits_over(born: Sequence[Buffer], dies: Sequence[Buffer]) -> bool:
    """Whether all of one group is dead, and large enough, when the other begins to live."""
    is_over = max(b.last for b in dies) <= min(b.first for b in born)
    return is_over and max(b.size_bytes for b in born) <= max(b.size_bytes for b in dies)


def _plan(
    function: func.FuncOp, groups: Sequence[Sequence[Buffer]], space: str, chip: Chip
) -> tuple[tuple[int, ...], ...]:
    capacity_bytes = chip.sizes_bytes[space]
    blocks = [_block(group, chip.align_bytes[space]) for group in groups]
    singles = [with_changes(block, copies=1) for block in blocks]
    smallest: Placement | None = None
    for candidates in (blocks, singles):
        for attempt in _attempts(candidates):
            if attempt.peak_bytes <= capacity_bytes:
                return attempt.addresses
            if smallest is None or attempt.peak_bytes < smallest.peak_bytes:
                smallest = attempt
    assert smallest is not None
    raise overflow(function, groups, singles, space, chip, smallest.peak_bytes)


def _attempts(blocks: Sequence[Block]) -> Sequence[Placement]:
    return (in_a_row(blocks), shared(blocks, same_pipes), shared(blocks, any_pipes))


def _block(group: Sequence[Buffer], granule_bytes: int) -> Block:
    size_bytes = max(buffer.size_bytes for buffer in group)
    return Block(
        size_bytes=-(-size_bytes // granule_bytes) * granule_bytes,
        copies=max(buffer.copies for buffer in group),
        first=min(buffer.first for buffer in group),
        last=max(buffer.last for buffer in group),
        pipes=frozenset(pipe for buffer in group for pipe in buffer.pipes),
    )


def _rewrite(constants: ConstantOrder, buffer: Buffer, addresses: Sequence[int]) -> None:
    value = buffer.op.memref
    if len(addresses) == 1:
        _drop_marks(buffer)
    name = value.name_hint
    own = [
        constants.get(IntegerAttr(address, i64), f"c{address}_i64", buffer.op)
        for address in addresses
    ]
    planned = PointerCastOp(own, kind_of(value))
    replace(buffer.op, [planned])
    planned.result.name_hint = name


def _to_loop_starts(function: func.FuncOp) -> None:
    """Buffers of several copies go to the front of the loop in which the copies take turns."""
    for mark in [op for op in function.walk() if isinstance(op, MarkOp)]:
        planned = mark.src.owner
        if not isinstance(planned, PointerCastOp) or ATTRIBUTE not in mark.attributes:
            continue
        loop = planned.parent_op()
        while loop is not None and not isinstance(loop, scf.ForOp):
            loop = loop.parent_op()
        if loop is not None:
            for op in (mark, planned):
                op.detach()
                Rewriter.insert_op(op, InsertPoint.at_start(loop.body.block))


def _drop_marks(buffer: Buffer) -> None:
    marks = [use.operation for use in buffer.op.memref.uses if isinstance(use.operation, MarkOp)]
    for mark in marks:
        if ATTRIBUTE in mark.attributes:
            mark.detach()
            mark.erase()
