"""Pass convert-to-hivm-op: copies become the moves that the chip has."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects import memref
from tlcourse.dialects.bufferization import MaterializeInDestinationOp
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.custom import CustomBaseOp
from tlcourse.dialects.hivm.dma import CopyOp, LoadOp, StoreOp
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import roots
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.labels import labels_of

_MEMORY = {"gm": "GM", "ub": "UB", "cbuf": "L1", "ca": "L0A", "cb": "L0B", "cc": "L0C"}

# Source memory and destination memory; an empty space is on chip, the place not known yet.
_MOVES: dict[tuple[str, str], type[LoadOp] | type[StoreOp] | type[CopyOp]] = {
    ("gm", "ub"): LoadOp,
    ("gm", "cbuf"): LoadOp,
    ("gm", ""): LoadOp,
    ("ub", "gm"): StoreOp,
    ("", "gm"): StoreOp,
    ("ub", "ub"): CopyOp,
    ("", ""): CopyOp,
}


@dataclass(frozen=True)
class ConvertToHivmOpPass(DevicePass):
    """`memref.copy` becomes load, store or copy of HIVM, by the two memories.

    ```
    memref.copy %gm, %ub                -->   hivm.hir.load ins(%gm) outs(%ub)
    memref.copy %ub, %gm                -->   hivm.hir.store ins(%ub) outs(%gm)
    memref.copy %ub, %ub2               -->   hivm.hir.copy ins(%ub) outs(%ub2)
    materialize_in_destination %t in %gm -->  hivm.hir.store ins(%t) outs(%gm)
    ```

    Algorithm: a value lies in the memory of its type; without one, in GM if it is a view of
    an argument or of another chip's memory, else on chip. A pair of memories picks the op
    from a table.

    Differs from upstream: a pair without a data path is an error here, not later.

    Raises:
        TL302: the chip has no path between the two memories.
    """

    name = "convert-to-hivm-op"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, memref.CopyOp):
                replace(op, [_move(op)])
            elif isinstance(op, MaterializeInDestinationOp) and not op.results:
                replace(op, [StoreOp(op.source, op.dest)])


def _move(op: memref.CopyOp) -> Operation:
    pair = (_space(op.source), _space(op.destination))
    kind = _MOVES.get(pair)
    if kind is None:
        raise _no_path(op, *pair)
    return kind(op.source, op.destination)


def _space(value: SSAValue) -> str:
    known = space_of(value)
    if known:
        return known
    return "gm" if any(_is_global(root) for root in roots(value)) else ""


def _is_global(root: SSAValue) -> bool:
    """Whether a buffer comes from the caller, or from another chip."""
    if isinstance(root, BlockArgument):
        return True
    return isinstance(root.owner, CustomBaseOp) and root.owner.is_distributed()


def _no_path(op: Operation, source: str, destination: str) -> TLError:
    names = _MEMORY.get(source, "on-chip memory"), _MEMORY.get(destination, "on-chip memory")
    return error(
        "TL302",
        f"no move leads from {names[0]} to {names[1]}",
        why="a copy becomes one of the chip's moves: GM to UB or L1, UB to GM, UB to UB; "
        "L0C leaves through the fixpipe only",
        fix="copy through GM: one copy out on the core that owns the source, one copy in on "
        "the core that owns the destination, with sync_block_set and sync_block_wait between",
        labels=labels_of(op),
    )
