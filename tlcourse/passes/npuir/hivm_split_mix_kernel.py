"""hivm-split-mix-kernel: one mixed function becomes a cube function and a vector function.

```
func @k {AIC and AIV work}     -->     func @k_mix_aic {cube work}    func @k_mix_aiv {vector work}
```

The function is cloned twice, and in each clone the ops of the other core go. Scalars, views
and control flow stay in both. A loop result or carried value that only the other core knew
is replaced by an empty tile that nobody reads. A custom op that reaches other chips and may
run on both kinds of core says in each half which one it runs on.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.attrs import CoreTypeAttr
from tlcourse.dialects.hivm.base import DestinationOp, PipeOp
from tlcourse.dialects.hivm.custom import CustomBaseOp
from tlcourse.dialects.rewriting import insert_after, insert_before
from tlcourse.passes.npuir.cube_vector import (
    CORE_ATTRIBUTE,
    core_of,
    device_functions,
    empty_like,
    erase_unused,
    fills_workspace,
    set_core_type,
)

_SIDES = (("CUBE", "AIC", "_mix_aic"), ("VECTOR", "AIV", "_mix_aiv"))


@dataclass(frozen=True)
class HivmSplitMixKernelPass(ModulePass):
    """Splits every mixed function in two."""

    name = "hivm-split-mix-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in device_functions(op, "MIX"):
            for core, kind, suffix in _SIDES:
                half = _half(function, core, kind, suffix)
                op.body.block.insert_op_before(half, function)
            function.detach()
            function.erase()


def _half(function: func.FuncOp, core: str, kind: str, suffix: str) -> func.FuncOp:
    half = function.clone()
    half.sym_name = StringAttr(function.sym_name.data + suffix)
    set_core_type(half, kind)
    half.attributes["hivm.part_of_mix"] = UnitAttr()
    for op in reversed(list(half.walk())):
        if core_of(op) not in (None, core) and not _is_harmless(op):
            _remove(op)
    for op in half.walk():
        if not isinstance(op, CustomBaseOp):
            op.attributes.pop(CORE_ATTRIBUTE, None)
        elif core_of(op) is None and op.is_distributed():
            op.attributes[CORE_ATTRIBUTE] = CoreTypeAttr(core)
    erase_unused(half.body)
    _keep_hand_overs(half)
    return half


def _is_harmless(op: Operation) -> bool:
    """Whether an op may stay on both sides: without readers it goes with the unused ones."""
    return bool(op.regions) or is_side_effect_free(op)


def _keep_hand_overs(half: func.FuncOp) -> None:
    """Marks tiles that only the other core reads, so that nobody takes their writer for dead."""
    for op in list(half.walk()):
        if isinstance(op, PipeOp) and op.results and not op.results[0].uses:
            if fills_workspace(op):
                insert_after(op, [MarkOp(op.results[0])])


def _remove(op: Operation) -> None:
    """Erases an op; readers of its result get its destination, or an empty tile."""
    if isinstance(op, DestinationOp):
        for result in op.results:
            if result.uses:
                dummy = empty_like(result)
                insert_before(op, [dummy])
                result.replace_all_uses_with(_destination(op) or dummy.tensor)
    op.detach()
    op.erase()


def _destination(op: DestinationOp) -> SSAValue | None:
    """The workspace tile that a removed writer filled: the reader on the other core needs it."""
    return op.destinations()[0] if isinstance(op, PipeOp) and fills_workspace(op) else None
