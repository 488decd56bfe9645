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
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.diagnostics import error
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.functions import argument_for
from tlcourse.passes.npuir.labels import labels_of


@dataclass(frozen=True)
class HivmBindWorkspaceArgPass(ModulePass):
    """Ties every workspace buffer to the argument that the launcher fills."""

    name = "hivm-bind-workspace-arg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            for inner in list(function.walk()):
                if isinstance(inner, AllocWorkspaceOp) and inner.workspace_arg is None:
                    _bind(inner, workspace_of(function, inner))


def _bind(alloc: AllocWorkspaceOp, workspace: SSAValue) -> None:
    bound = AllocWorkspaceOp.build(
        operands=[[workspace], list(alloc.dynamic_size), list(alloc.offset)],
        result_types=[alloc.result.type],
        attributes=dict(alloc.attributes),
    )
    replace(alloc, [bound])


def workspace_of(function: func.FuncOp, user: Operation | None = None) -> SSAValue:
    """The workspace argument. The function counts its arguments without the first one.

    Args:
        function: the function.
        user: the op that needs it, for the error.

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
            why="failed to bind workspace argument: cube and vector cores hand tiles over in "
            "memory that the launcher gives",
            fix="mark an argument of type memref<?xi8> with "
            "{hacc.arg_type = #hacc.arg_type<workspace>}",
            labels=labels_of(user) if user is not None else (),
        )
    index = function.attributes["WorkspaceArgIdx"]
    assert isinstance(index, IntegerAttr)
    return function.body.block.args[index.value.data + 1]
