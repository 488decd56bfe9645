"""RemoveNoOp: removes what has no effect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from tlcourse.dialects import tl
from tlcourse.passes.npuir.folding import constant_of


@dataclass(frozen=True)
class RemoveNoOpPass(ModulePass):
    """Removes values that nobody uses, and loops and branches without a body.

    ```mlir
    %0 = arith.addi %bx, %c64 : i32        // unused
    tl.for "serial" %c0 to %n { ^bb0(%i: i32): }
    -->
    (nothing)
    ```

    A `tl.scope` stays even when it is empty: that it is there decides which cores run the
    kernel.
    """

    name = "RemoveNoOp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        while _sweep(op):
            pass


def _sweep(module: ModuleOp) -> bool:
    dead = [op for op in module.walk(reverse=True) if _has_no_effect(op)]
    for op in dead:
        op.detach()
        op.erase()
    return bool(dead)


def _has_no_effect(op: Operation) -> bool:
    if isinstance(op, tl.ForOp):
        return _is_empty(op.body) or _has_no_iteration(op)
    if isinstance(op, scf.IfOp):
        return not op.results and _is_empty(op.true_region) and _is_empty(op.false_region)
    if not op.results or any(result.first_use is not None for result in op.results):
        return False
    return isinstance(op, (tl.AllocOp, tl.LoadOp)) or is_side_effect_free(op)


def _is_empty(region: Region) -> bool:
    ops = [op for block in region.blocks for op in block.ops]
    return all(isinstance(op, scf.YieldOp) for op in ops)


def _has_no_iteration(loop: tl.ForOp) -> bool:
    lower, upper = constant_of(loop.lower), constant_of(loop.upper)
    return lower is not None and upper is not None and upper <= lower
