"""Pass cv-pipelining: cube core and vector cores work on different iterations at a time."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.passes.npuir.functions import DevicePass, core_of
from tlcourse.passes.npuir.hivm_mark_multi_buffer import ATTRIBUTE, copies_of
from tlcourse.passes.npuir.pipelining.nodes import graph_of
from tlcourse.passes.npuir.pipelining.rebuild import rebuild, trips_of
from tlcourse.passes.npuir.pipelining.work_items import work_items


@dataclass(frozen=True)
class CVPipeliningPass(DevicePass):
    """A mixed loop runs N iterations a round, and in a round each core's work in one go.

    ```
    scf.for %j = 0 to 8 {                   scf.for %r = 0 to 8 step 4 {
      %s = fixpipe(mmadL1 ..)       -->       scf.for %t = 0 to 4 { fixpipe .. outs(%w[%t]) } CUBE
      %p = vexp(load %s)                      scf.for %t = 0 to 4 { vexp(load %w[%t]) .. } VECTOR
    }                                       }
    ```

    In one iteration the cores wait for each other: what one makes the other reads. With N
    copies of each workspace tile the cube core fills the tiles of N iterations one after the
    other, while the vector cores are at work on those that are full already.

    Algorithm: (1) A loop counts if the first round of `hivm-mark-multi-buffer` has marked a
    workspace tile in it. (2) Each op of the body gets a level: the number of borders between
    the cores before it. All ops around a value that the loop carries get one level, and an
    op sinks to the level of its first reader. (3) Level and core make a work item. (4) The
    loop's step grows by N; each item gets a loop of its own over the iterations of a round,
    the last round may have fewer. Indices are computed in each. (5) Workspace tiles get a
    leading dimension N, and so does a tile that a later item of the same core reads.

    A loop stays as it is if a carried value takes part on both cores or is a sum in L0C, if
    an item stores what another one loads, or if an op is in the way: a print, flags.

    Differs from upstream: there a loop that cannot be cut keeps its marks and its tiles their
    copies; here it keeps neither. Only the unroll mode exists, and a loop with fewer than N
    iterations is unrolled by their number.
    """

    name = "cv-pipelining"

    def run(self, function: func.FuncOp) -> None:
        if core_of(function) != "MIX":
            return
        for loop in [op for op in function.walk() if isinstance(op, scf.ForOp)]:
            _pipeline(loop)
        for mark in [op for op in function.walk() if _is_mark(op)]:
            mark.detach()
            mark.erase()


def _pipeline(loop: scf.ForOp) -> None:
    tiles = [op.result for op in loop.body.block.ops if isinstance(op, AllocWorkspaceOp)]
    depth = max((copies_of(tile) for tile in tiles), default=1)
    trips = trips_of(loop)
    depth = depth if trips is None else min(depth, trips)
    graph = graph_of(loop) if depth > 1 else None
    items = work_items(graph) if graph is not None else None
    if graph is not None and items is not None:
        rebuild(graph, items, depth)


def _is_mark(op: Operation) -> bool:
    marked = isinstance(op, MarkOp) and ATTRIBUTE in op.attributes
    return marked and isinstance(op.operands[0].owner, AllocWorkspaceOp)
