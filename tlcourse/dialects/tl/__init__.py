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
from tlcourse.dialects.tl.choices import (
    CHOICES,
    COMPARE_MODES,
    BitcastOp,
    VcmpOp,
    VselectOp,
    VshrOp,
)
from tlcourse.dialects.tl.reductions import (
    ABS_MODES,
    INDEX_MODES,
    JOINING,
    REDUCE_MODES,
    CumsumOp,
    ReduceOp,
)
from tlcourse.dialects.tl.shapes import (
    CHANNELS,
    ArangeOp,
    AtomicAddOp,
    ConcatOp,
    DeinterleaveOp,
    FlipOp,
    GatherOp,
    InterleaveOp,
    PadOp,
    ReshapeOp,
    TransposeOp,
)
from tlcourse.dialects.tl.structure import AllocOp, FloorModOp, ForOp, KernelOp, LetOp, ScopeOp
from tlcourse.dialects.tl.sync import (
    BarrierOp,
    BlockBarrierOp,
    BlockFlagOp,
    FlagOp,
    PipeBarrierOp,
    PrintOp,
    SetFlagOp,
    SubblockBarrierOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    SyncOp,
    WaitFlagOp,
)
from tlcourse.dialects.tl.tile_op import TileOp
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
    *CHOICES.values(),
    BitcastOp,
    ReduceOp,
    CumsumOp,
    TransposeOp,
    ConcatOp,
    PadOp,
    InterleaveOp,
    DeinterleaveOp,
    FlipOp,
    GatherOp,
    ArangeOp,
    ReshapeOp,
    AtomicAddOp,
    SetFlagOp,
    WaitFlagOp,
    PipeBarrierOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    BlockBarrierOp,
    SubblockBarrierOp,
    PrintOp,
]

TL = Dialect("tl", OPS, [ScopeAttr])

__all__ = [
    "ABS_MODES",
    "CHANNELS",
    "CHOICES",
    "COMPARE_MODES",
    "ELEMENTWISE",
    "INDEX_MODES",
    "JOINING",
    "OPS",
    "REDUCE_MODES",
    "ROUND_MODES",
    "SCOPES",
    "TL",
    "AllocOp",
    "ArangeOp",
    "AtomicAddOp",
    "BarrierOp",
    "BitcastOp",
    "BlockBarrierOp",
    "BlockFlagOp",
    "BroadcastOp",
    "CastOp",
    "ConcatOp",
    "CopyOp",
    "Core",
    "CumsumOp",
    "DeinterleaveOp",
    "ElementwiseOp",
    "FlagOp",
    "FlipOp",
    "FloorModOp",
    "ForOp",
    "GatherOp",
    "GemmOp",
    "InterleaveOp",
    "KernelOp",
    "LetOp",
    "LoadOp",
    "LoopKind",
    "PadOp",
    "PipeBarrierOp",
    "PrintOp",
    "ReduceOp",
    "RegionOp",
    "ReshapeOp",
    "ScopeAttr",
    "ScopeOp",
    "SetFlagOp",
    "StoreOp",
    "SubblockBarrierOp",
    "SyncBlockSetOp",
    "SyncBlockWaitOp",
    "SyncOp",
    "TileOp",
    "TransposeOp",
    "VcmpOp",
    "VselectOp",
    "VshrOp",
    "WaitFlagOp",
    "buffer_type",
    "memref_of",
    "name_hint",
    "scope_of",
]
