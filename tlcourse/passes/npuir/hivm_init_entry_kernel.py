"""Pass hivm-init-entry-kernel: bring the core into a known state."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.dialects.hivm.core import SetMaskNormOp
from tlcourse.dialects.rewriting import insert_at_start
from tlcourse.passes.npuir.functions import DevicePass, is_entry


@dataclass(frozen=True)
class HivmInitEntryKernelPass(DevicePass):
    """Sets the vector mask to its normal mode as the kernel's first act.

    ```
    func @k(..) {                       -->   func @k(..) {
      hivm.hir.set_ffts_base_addr %f            hivm.hir.set_mask_norm
                                                hivm.hir.set_ffts_base_addr %f
    ```

    Algorithm: put the op at the top of every entry function that has none.

    Differs from upstream: nothing.
    """

    name = "hivm-init-entry-kernel"

    def run(self, function: func.FuncOp) -> None:
        if not is_entry(function):
            return
        block = function.body.block
        if not any(isinstance(op, SetMaskNormOp) for op in block.ops):
            insert_at_start(block, [SetMaskNormOp()], like=function)
