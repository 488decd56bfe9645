"""Pass hivm-add-ffts-to-syncblocksetop: tell each cross-core flag where it lives."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.dialects.hivm.sync import SyncBlockSetOp
from tlcourse.passes.npuir.functions import DevicePass, argument_for
from tlcourse.passes.npuir.operands import set_operands


@dataclass(frozen=True)
class HivmAddFftsToSyncBlockSetOpPass(DevicePass):
    """Gives `sync_block_set` the base address of the cross-core flags.

    ```
    sync_block_set[..] flag = 0         -->   sync_block_set[..] flag = 0 ffts_base_addr = %ffts
    ```

    Algorithm: the address is the argument marked `hacc.arg_type<ffts_base_address>`; each op
    without an address gets it.

    Differs from upstream: nothing.
    """

    name = "hivm-add-ffts-to-syncblocksetop"

    def run(self, function: func.FuncOp) -> None:
        base = argument_for(function, "ffts_base_address")
        if base is None:
            return
        for op in function.walk():
            if isinstance(op, SyncBlockSetOp) and op.ffts_base_addr is None:
                set_operands(op, "ffts_base_addr", [base])
