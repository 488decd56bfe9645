"""lower-memref-ext: a workspace buffer is a view of the block's share of the workspace.

```
%w = alloc_workspace() from %arg2 offset = [%c0]
-->
%b = get_block_idx ; %o = %b * bytes_per_block + %c0 ; %w = memref.view %arg2[%o][]
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tlcourse.dialects.hacc import HostFuncTypeAttr
from tlcourse.dialects.hivm.core import GetBlockIdxOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import replace


@dataclass(frozen=True)
class LowerMemRefExtPass(ModulePass):
    """Turns workspace buffers into views of the workspace argument.

    A buffer without an argument or a place in it stays as it is.
    """

    name = "lower-memref-ext"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        size_bytes = bytes_per_block(op)
        for alloc in [inner for inner in op.walk() if isinstance(inner, AllocWorkspaceOp)]:
            if alloc.workspace_arg is not None and alloc.offset:
                _lower(alloc, size_bytes)


def bytes_per_block(module: ModuleOp) -> int:
    """What the module's host function says about workspace; 0 where there is none."""
    for op in module.body.block.ops:
        kind = op.attributes.get("hacc.host_func_type")
        is_size = kind == HostFuncTypeAttr("infer_workspace_shape_function")
        if is_size and isinstance(op, func.FuncOp):
            constant = op.body.block.first_op
            assert isinstance(constant, arith.ConstantOp)
            assert isinstance(constant.value, IntegerAttr)
            return constant.value.value.data
    return 0


def _lower(alloc: AllocWorkspaceOp, size_bytes: int) -> None:
    assert alloc.workspace_arg is not None
    assert isinstance(alloc.result.type, MemRefType)
    block = GetBlockIdxOp()
    index = arith.IndexCastOp(block.result, IndexType())
    size = arith.ConstantOp(IntegerAttr(size_bytes, IndexType()))
    start = arith.MuliOp(index.result, size.result)
    new_ops: list[Operation] = [block, index, size, start]
    place = start.result
    if not _is_zero(alloc):
        shifted = arith.AddiOp(start.result, alloc.offset[0])
        new_ops.append(shifted)
        place = shifted.result
    view = memref.ViewOp(alloc.workspace_arg, place, [], alloc.result.type)
    replace(alloc, [*new_ops, view])


def _is_zero(alloc: AllocWorkspaceOp) -> bool:
    offset = alloc.offset[0].owner
    return (
        isinstance(offset, arith.ConstantOp)
        and isinstance(offset.value, IntegerAttr)
        and offset.value.value.data == 0
    )
