"""BindTarget: writes on the kernel function what it is compiled for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.dialects.signature import function_of


@dataclass(frozen=True)
class BindTargetPass(ModulePass):
    """Copies target and mode from the module to the kernel function.

    ```mlir
    builtin.module attributes {tl.mode = "Expert", tl.target = "npuir"} { func.func @k(..) {..} }
    -->
    func.func @k(..) attributes {tl.mode = "Expert", tl.target = "npuir"} {..}
    ```

    A later pass that looks at one function alone then knows both.

    Differs from upstream: the target is a name, not an object with properties; the chip's
    properties are data of the back half.
    """

    name = "BindTarget"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = function_of(op)
        for key in ("tl.target", "tl.mode"):
            if key in op.attributes:
                function.attributes[key] = op.attributes[key]
