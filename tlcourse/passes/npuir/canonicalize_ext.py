"""Pass canonicalize-ext: the same clean-up as canonicalize-module, later in the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.dialects.hivm.dma import LoadOp
from tlcourse.dialects.hivm.vector import VBrcOp
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.hivm_folding import drop_unread, fold_hivm
from tlcourse.passes.npuir.simplify import simplify


@dataclass(frozen=True)
class CanonicalizeExtPass(DevicePass):
    """Drops what the passes before it left over.

    ```
    %0 = arith.muli %gx, %gy : i32
    %1 = arith.subi %i, %c0_i32 : i32   -->   %2 = arith.remsi %i, %c2_i32 : i32
    %2 = arith.remsi %1, %c2_i32 : i32
    ```

    Algorithm: that of canonicalize-module, in turn with rules for HIVM ops, until neither
    changes anything:
    - what spreads, reduces or runs along dimensions of extent 1 only is a copy, on tensors its
      source; of several such dimensions those of extent 1 are no longer named;
    - exchanges of dimensions that cancel each other vanish;
    - padding of one dimension behind a load is done by the load;
    - a destination filled with the number that a reduction starts from stays empty;
    - fills on tensors that nobody reads and assertions that hold vanish.

    With `test-convergence` upstream fails where its rules do not come to rest; these always do.

    Differs from upstream: there this pass knows more rules than the first one.
    """

    name = "canonicalize-ext"

    test_convergence: bool = False

    def run(self, function: func.FuncOp) -> None:
        simplify(function)
        while _fold_once(function):
            simplify(function)


def _fold_once(function: func.FuncOp) -> bool:
    changed = False
    for op in list(function.walk()):
        if op.parent is not None:
            changed |= fold_hivm(op)
    for op in reversed(list(function.walk())):
        if isinstance(op, VBrcOp | LoadOp):
            changed |= drop_unread(op)
    return changed
