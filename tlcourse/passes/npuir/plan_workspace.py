"""The global mode of hivm-plan-memory: each workspace buffer gets its offset in a block's share.

```
%w = alloc_workspace() from %arg2 : ..     -->     %w = alloc_workspace() from %arg2 offset = [%c0]
```

Buffers lie one behind the other, none shares bytes with another: two cores may be at work
in any of them at the same time.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.memref import type_of
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import replace

_ALIGN_BYTES = 32  # what upstream aligns global buffers to


def plan_workspace(function: func.FuncOp) -> None:
    """Gives each workspace buffer of a function its offset."""
    offset_bytes = 0
    for alloc in [w for w in function.walk() if isinstance(w, AllocWorkspaceOp)]:
        if not alloc.offset:
            offset_bytes = _place(alloc, offset_bytes)


def bytes_of(value: SSAValue) -> int:
    """Bytes of a memref of static shape in GM."""
    kind = type_of(value)
    return prod(kind.get_shape()) * dtype_of(kind.element_type).bits // 8


def workspace_bytes(function: func.FuncOp) -> int:
    """Bytes of workspace that one block needs; buffers without a place do not count."""
    ends = [0]
    for alloc in [w for w in function.walk() if isinstance(w, AllocWorkspaceOp) and w.offset]:
        offset = alloc.offset[-1].owner
        assert isinstance(offset, arith.ConstantOp)
        assert isinstance(offset.value, IntegerAttr)
        ends.append(offset.value.value.data + bytes_of(alloc.result))
    return max(ends)


def _place(alloc: AllocWorkspaceOp, offset_bytes: int) -> int:
    offset = arith.ConstantOp(IntegerAttr(offset_bytes, IndexType()))
    planned = AllocWorkspaceOp(alloc.result.type, alloc.workspace_arg, [offset.result])
    size_bytes = bytes_of(alloc.result)
    replace(alloc, [offset, planned])
    return _aligned(offset_bytes + size_bytes)


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // _ALIGN_BYTES) * _ALIGN_BYTES
