"""Pass hivm-inject-sync: the older way to place flags and barriers inside a core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import i64

from tlcourse.chips import CHIPS, DEFAULT_CHIP
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.simplify import constant
from tlcourse.passes.npuir.sync.build import build, refuse_unit_flags
from tlcourse.passes.npuir.sync.emit import emit
from tlcourse.passes.npuir.sync.events import event_ids, written_ids
from tlcourse.passes.npuir.sync.model import ALL
from tlcourse.passes.npuir.sync.pairs import linear_list, pairs
from tlcourse.passes.npuir.sync.redundant import needed
from tlcourse.passes.npuir.sync.slots import fill_slots, reserved_ids

_L0_PIPES = ("PIPE_M", "PIPE_MTE1")
_L0_ARGUMENTS = (5, 6)  # of the sync arguments of a matrix op


@dataclass(frozen=True)
class HivmInjectSyncPass(DevicePass):
    """Every hazard gets a flag; then the flags that others imply go.

    ```
    load ins(%gm) outs(%a)              -->   load ins(%gm) outs(%a)
    vexp ins(%a) outs(%b)                     set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
                                              wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
                                              vexp ins(%a) outs(%b)
    ```

    Algorithm: (1) Write all accesses into one list: pipe, bytes read, bytes written; a matrix
    op makes three entries. (2) Compare each entry with all earlier ones. Two that touch the
    same bytes, one of them writing, make a pair: a flag between two pipes, a barrier within
    one. (3) Compare once more over the end of each loop: what an iteration leaves behind, the
    next ones find. A buffer with N copies is met again after N iterations only, and the flag
    takes N ids, chosen by the iteration. (4) Hoist both ends of a pair out of the loops and
    ifs that hold one of them alone. (5) Drop the pairs that others of the same body imply.
    (6) Flags that are up together get different ids; where a pipe pair's eight ids run out,
    a barrier of all pipes stands in.

    The newer `hivm-graph-sync-solver` asks before it adds a pair, and follows flags through
    the whole function. This pass looks at one body at a time, so it keeps more flags.

    With `sync_mode` "barrier-all" there are no flags: all pipes wait before each op. It is
    slow and always right, good for finding out whether a fault is one of synchronisation.

    A matrix op also gets two ids for the halves of L0A and L0B, up from before the first
    matrix op to the end of the kernel, as upstream's older pass writes them.

    Differs from upstream: pairs are dropped after all are known, not while walking back. Ids
    are not shared between flags. There are no unit flags: `enable_unit_flag` takes `false` only.
    """

    name = "hivm-inject-sync"

    chip: str = DEFAULT_CHIP.name
    sync_mode: str = "normal"
    enable_unit_flag: bool = False

    def __post_init__(self) -> None:
        refuse_unit_flags(asked=self.enable_unit_flag)

    def run(self, function: func.FuncOp) -> None:
        body = build(function)
        if self.sync_mode == "barrier-all":
            for op in dict.fromkeys(entry.access.op for entry in linear_list(body)):
                insert_before(op, [PipeBarrierOp(ALL)])
            emit(function, [], {})
            return
        syncs, count = needed(pairs(body)), CHIPS[self.chip].event_ids
        ids = event_ids(body, syncs, count, reserved_ids(function))
        fill_slots(function, ids, count)
        emit(function, syncs, ids)
        taken = written_ids(function).get(_L0_PIPES, frozenset())
        _hand_over_l0(function, [i for i in range(count) if i not in taken])


def _hand_over_l0(function: func.FuncOp, free: Sequence[int]) -> None:
    """Two flags say which half of L0A and L0B is free; they pass from one matrix op to the next."""
    products = [op for op in function.walk() if isinstance(op, MmadL1Op)]
    events = free[: len(_L0_ARGUMENTS)]
    first = function.body.block.find_ancestor_op_in_block(products[0]) if products else None
    if first is None or len(events) < len(_L0_ARGUMENTS):
        return
    for product in products:
        arguments = list(product.sync_related_args)
        for place, event in zip(_L0_ARGUMENTS, events, strict=True):
            arguments[place] = constant(function, event, i64)
        set_operands(product, "sync_related_args", arguments)
    last = function.body.block.last_op
    assert last is not None
    assert last.prev_op is not None
    insert_before(first, [SetFlagOp(*_L0_PIPES, event) for event in events])
    insert_before(last.prev_op, [WaitFlagOp(*_L0_PIPES, event) for event in events])
