"""Pass canonicalize-ext: the same clean-up as canonicalize-module, later in the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.simplify import simplify


@dataclass(frozen=True)
class CanonicalizeExtPass(DevicePass):
    """Drops what the passes before it left over.

    ```
    %0 = arith.muli %gx, %gy : i32
    %1 = arith.subi %i, %c0_i32 : i32   -->   %2 = arith.remsi %i, %c2_i32 : i32
    %2 = arith.remsi %1, %c2_i32 : i32
    ```

    Algorithm: that of canonicalize-module.

    With `test-convergence` upstream fails where its rules do not come to rest; these always do.

    Differs from upstream: there this pass knows more rules than the first one.
    """

    name = "canonicalize-ext"

    test_convergence: bool = False

    def run(self, function: func.FuncOp) -> None:
        simplify(function)
