"""LowerOpaqueBlock: upstream's removal of block shells; Tile IR has none."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class LowerOpaqueBlockPass(ModulePass):
    """Leaves the module as it is.

    Differs from upstream: TVM wraps statements into blocks that carry regions and
    allocations, and this pass takes the shells away. Tile IR never has them: an allocation is
    an op, a region is an op, and a block of ops is a block.
    """

    name = "LowerOpaqueBlock"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx, op
