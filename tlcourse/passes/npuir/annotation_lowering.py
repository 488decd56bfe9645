"""Pass annotation-lowering: marks have served, they go."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.dialects.annotation import MarkOp
from tlcourse.passes.npuir.functions import DevicePass


@dataclass(frozen=True)
class AnnotationLoweringPass(DevicePass):
    """Erases `annotation.mark` ops, which spoke to earlier passes only.

    ```
    annotation.mark %1 {logical_block_num} : i32   -->
    ```

    Algorithm: erase each of them.

    Differs from upstream: nothing.
    """

    name = "annotation-lowering"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, MarkOp):
                op.detach()
                op.erase()
