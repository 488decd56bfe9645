"""LowerNpuirBlock: upstream's removal of the kernel frame's block; Tile IR has none."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class LowerNpuirBlockPass(ModulePass):
    """Leaves the module as it is.

    Differs from upstream: there the kernel frame is a block with a predicate, which this pass
    turns into a plain body, under an `if` where the predicate is not always true. Here the
    frame is `tl.kernel`, which has no predicate and stays until code generation.
    """

    name = "LowerNpuirBlock"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx, op
