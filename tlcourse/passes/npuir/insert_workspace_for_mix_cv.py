"""insert-workspace-for-mix-cv: tiles that cross between the cores lie in a GM workspace.

```
%e = tensor.empty()                          %w = memref_ext.alloc_workspace() : memref<..>
%t = fixpipe ins(%r) outs(%e)        -->     %e = bufferization.to_tensor %w restrict writable
                                             %t = fixpipe ins(%r) outs(%e)
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import MemRefType, ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.dma import FixpipeOp, StoreOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.cube_vector import tensor_type


@dataclass(frozen=True)
class InsertWorkSpaceForMixCVPass(ModulePass):
    """Gives every move over a border its place in the workspace."""

    name = "insert-workspace-for-mix-cv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, (FixpipeOp, StoreOp)) and inner.results:
                if isinstance(inner.dst.owner, tensor.EmptyOp):
                    _place(inner)


def _place(move: FixpipeOp | StoreOp) -> None:
    kind = tensor_type(move.dst)
    workspace = AllocWorkspaceOp(MemRefType(kind.element_type, kind.get_shape()))
    tile = ToTensorOp(workspace.result)
    tile.writable = UnitAttr()
    insert_before(move, [workspace, tile])
    move.operands[1] = tile.tensor
