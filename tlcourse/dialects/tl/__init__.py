"""Tile IR: the `tl` dialect holds what a TileLang kernel says and upstream dialects lack.

Scalars are `arith` on i32 and floats, `if` is `scf.if` without results, a kernel is one
`func.func`. Buffers are mutable memrefs with a `#tl.scope<..>`; there are no tensors.

```mlir
tl.kernel(%grid) {
^bb0(%cid : i32, %vid : i32):
  tl.scope "vector" {
    %a = tl.alloc "A_ub" : memref<64x128xf32, #tl.scope<shared>>
    %t = tl.region %A[%i, %j] [] : memref<1024x512xf32, #tl.scope<global>> to memref<64x128xf32, ..>
    tl.copy %t, %a : ..
    tl.vexp ins(%a : ..) outs(%a : ..)
  }
}
```
"""

from __future__ import annotations

from xdsl.ir import Dialect, Operation

from tlcourse.dialects.tl.buffers import (
    ROUND_MODES,
    SCOPES,
    Core,
    LoopKind,
    ScopeAttr,
    buffer_type,
    memref_of,
    name_hint,
    scope_of,
)
from tlcourse.dialects.tl.structure import AllocOp, FloorModOp, ForOp, KernelOp, LetOp, ScopeOp
from tlcourse.dialects.tl.sync import (
    BlockFlagOp,
    FlagOp,
    PipeBarrierOp,
    PrintOp,
    SetFlagOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    SyncOp,
    WaitFlagOp,
)
from tlcourse.dialects.tl.tiles import (
    ELEMENTWISE,
    BroadcastOp,
    CastOp,
    CopyOp,
    ElementwiseOp,
    GemmOp,
    LoadOp,
    RegionOp,
    StoreOp,
)

OPS: list[type[Operation]] = [
    KernelOp,
    ForOp,
    ScopeOp,
    LetOp,
    FloorModOp,
    AllocOp,
    RegionOp,
    LoadOp,
    StoreOp,
    CopyOp,
    BroadcastOp,
    CastOp,
    GemmOp,
    *ELEMENTWISE.values(),
    SetFlagOp,
    WaitFlagOp,
    PipeBarrierOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    PrintOp,
]

TL = Dialect("tl", OPS, [ScopeAttr])

__all__ = [
    "ELEMENTWISE",
    "OPS",
    "ROUND_MODES",
    "SCOPES",
    "TL",
    "AllocOp",
    "BlockFlagOp",
    "BroadcastOp",
    "CastOp",
    "CopyOp",
    "Core",
    "ElementwiseOp",
    "FlagOp",
    "FloorModOp",
    "ForOp",
    "GemmOp",
    "KernelOp",
    "LetOp",
    "LoadOp",
    "LoopKind",
    "PipeBarrierOp",
    "PrintOp",
    "RegionOp",
    "ScopeAttr",
    "ScopeOp",
    "SetFlagOp",
    "StoreOp",
    "SyncBlockSetOp",
    "SyncBlockWaitOp",
    "SyncOp",
    "WaitFlagOp",
    "buffer_type",
    "memref_of",
    "name_hint",
    "scope_of",
]
