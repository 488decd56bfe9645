"""Pass tosa-to-arith: constants of tosa become constants of arith."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.dialects.rewriting import replace
from tlcourse.dialects.tosa import ConstOp


@dataclass(frozen=True)
class TosaToArithPass(ModulePass):
    """Each `tosa.const` becomes an `arith.constant` of the same tensor.

    ```
    "tosa.const"() <{value = dense<1.0> : T}>   -->   arith.constant dense<1.0> : T
    ```

    Differs from upstream: MLIR's pass also converts `tosa.apply_scale`.
    """

    name = "tosa-to-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, ConstOp):
                replace(inner, [arith.ConstantOp(inner.value)])
