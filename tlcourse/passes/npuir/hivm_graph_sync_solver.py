"""Pass hivm-graph-sync-solver: flags and barriers that keep the pipes of a core in order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.chips import CHIPS, DEFAULT_CHIP
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.sync.build import build, refuse_unit_flags
from tlcourse.passes.npuir.sync.emit import emit
from tlcourse.passes.npuir.sync.events import event_ids
from tlcourse.passes.npuir.sync.slots import fill_slots, reserved_ids
from tlcourse.passes.npuir.sync.solve import solve


@dataclass(frozen=True)
class HivmGraphSyncSolverPass(DevicePass):
    """Pipes run side by side; flags make one wait for another where they share bytes.

    ```
    load ins(%gm) outs(%a)              -->   load ins(%gm) outs(%a)
    vexp ins(%a) outs(%b)                     set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
                                              wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
                                              vexp ins(%a) outs(%b)
    ```

    Algorithm: (1) every op is an access: a pipe, bytes read, bytes written. A matrix op is
    three: L1 to L0A, L1 to L0B, the multiplication. (2) Loops are unrolled two times, or once
    more than a buffer in them has copies. (3) Take the accesses in program order, and for
    each the earlier ones, nearest first. Two that touch the same bytes, one of them writing,
    need an order. If following the flags chosen so far leads from the earlier to the later
    one, nothing is added. Else: between two pipes a flag, within a pipe a barrier. (4) Both
    ends of a flag stand in the body that holds both accesses, so no `if` can skip one end.
    A flag that a loop carries is set once before the loop and waited for once after it, and
    has one id per copy of the buffer. (5) Flags that are up together get different ids.
    (6) A flag between a load into L1 and a matrix op becomes a sync argument of the op.

    With `ignore_workspace_func_args` nothing is ordered that only meets in the workspace.

    Differs from upstream: there are no unit flags, so `enable_unit_flag` takes `false` only.
    Where the eight ids of a pipe pair run out, a barrier of all pipes stands in. Ids that the
    kernel's own flags use are left to them.
    """

    name = "hivm-graph-sync-solver"

    chip: str = DEFAULT_CHIP.name
    ignore_workspace_func_args: bool = False
    enable_unit_flag: bool = False

    def __post_init__(self) -> None:
        refuse_unit_flags(asked=self.enable_unit_flag)

    def run(self, function: func.FuncOp) -> None:
        body = build(function, ignore_workspace=self.ignore_workspace_func_args)
        syncs = solve(body)
        count = CHIPS[self.chip].event_ids
        ids = event_ids(body, syncs, count, reserved_ids(function))
        fill_slots(function, ids, count)
        emit(function, syncs, ids)
