"""hivm-bind-workspace-arg: workspace buffers are part of the kernel's workspace argument.

```
%w = memref_ext.alloc_workspace() : memref<128x256xf32>
-->
%w = memref_ext.alloc_workspace() from %arg2 : from memref<?xi8> to memref<128x256xf32>
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tlcourse.diagnostics import error
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.functions import argument_for


@dataclass(frozen=True)
class HivmBindWorkspaceArgPass(ModulePass):
    """Ties every workspace buffer to the argument that the launcher fills."""

    name = "hivm-bind-workspace-arg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            for inner in list(function.walk()):
                if isinstance(inner, AllocWorkspaceOp) and inner.workspace_arg is None:
                    replace(inner, [AllocWorkspaceOp(inner.result.type, workspace_of(function))])


def workspace_of(function: func.FuncOp) -> SSAValue:
    """The workspace argument. The function counts its arguments without the first one.

    Raises:
        TL305: the function has none.
    """
    marked = argument_for(function, "workspace")
    if marked is not None:
        return marked
    if "WorkspaceArgIdx" not in function.attributes:
        raise error(
            "TL305",
            f"{function.sym_name.data} has no argument for the workspace",
            why="cube and vector cores hand tiles over in memory that the launcher gives",
            fix="mark an argument of type memref<?xi8> with "
            "{hacc.arg_type = #hacc.arg_type<workspace>}",
        )
    index = function.attributes["WorkspaceArgIdx"]
    assert isinstance(index, IntegerAttr)
    return function.body.block.args[index.value.data + 1]
