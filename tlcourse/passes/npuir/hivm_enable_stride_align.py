"""Pass hivm-enable-stride-align: rows in UB start at multiples of 32 bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, NoneAttr, UnitAttr
from xdsl.ir import SSAValue

from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.dma import MoveOp
from tlcourse.dialects.memref import subview
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import (
    box_of,
    element_bits,
    is_contiguous,
    is_static,
    kind_of,
    memref_kind,
    roots,
    users,
)
from tlcourse.passes.npuir.functions import DevicePass

_RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp, memref.ReinterpretCastOp)
_ROW_BYTES = 32  # a DMA row and a vector row start at a multiple of this in UB


@dataclass(frozen=True)
class HivmEnableStrideAlignPass(DevicePass):
    """Pads the rows of a UB tile whose rows are moved or computed one by one.

    ```
    %t = memref.alloc() : memref<64x10xf32, ub>
                                        -->   %p = memref.alloc() : memref<64x16xf32, ub>
    load ins(%gm) outs(%t)                    %t = memref.subview %p[0, 0] [64, 10] [1, 1]
                                              load ins(%gm) outs(%t)
    ```

    Algorithm: a tile is moved row by row when the other end of a load or store has gaps
    between rows. Such a tile needs padding when its row is no multiple of 32 bytes; then so
    does every tile that shares a vector op with it, except columns (last extent 1).

    Differs from upstream: upstream marks in one pass and pads in another, and adds a third
    dimension of extent 1. Here ranks stay as they are.
    """

    name = "hivm-enable-stride-align"

    def run(self, function: func.FuncOp) -> None:
        for alloc in _to_pad(function):
            _pad(alloc)
        function.attributes["hivm.storage_aligned"] = UnitAttr()


def _to_pad(function: func.FuncOp) -> list[memref.AllocOp]:
    ops = [op for op in function.walk() if isinstance(op, PipeOp)]
    found: dict[memref.AllocOp, None] = {}
    for op in ops:
        if isinstance(op, MoveOp) and not (_is_dense(op.src) and _is_dense(op.dst)):
            found |= dict.fromkeys(_ragged([op.src, op.dst]))
    grew = True
    while grew:
        before = len(found)
        for op in ops:
            tiles = [*op.sources(), *op.destinations()]
            if any(root.owner in found for tile in tiles for root in roots(tile)):
                found |= dict.fromkeys(_ragged(tiles))
        grew = len(found) > before
    return list(found)


def _is_dense(value: SSAValue) -> bool:
    kind = memref_kind(value)
    return kind is not None and is_contiguous(kind)


def _ragged(tiles: Iterable[SSAValue]) -> Iterable[memref.AllocOp]:
    """The allocations in UB behind the tiles whose rows are no multiple of 32 bytes."""
    for tile in tiles:
        for root in roots(tile) if isinstance(tile.type, MemRefType) else ():
            op = root.owner
            if isinstance(op, memref.AllocOp) and space_of(root) == "ub" and _is_ragged(root):
                yield op


def _is_ragged(buffer: SSAValue) -> bool:
    kind = kind_of(buffer)
    shape = kind.get_shape()
    if len(shape) < 2 or not is_static(kind) or shape[-1] == 1 or _is_reshaped(buffer):
        return False
    return shape[-1] * element_bits(kind.element_type) % (8 * _ROW_BYTES) != 0


def _is_reshaped(buffer: SSAValue) -> bool:
    """Whether a tile is also seen with other dimensions, which only one piece can be."""
    return any(isinstance(user, _RESHAPES) for user in users(buffer))


def _pad(op: memref.AllocOp) -> None:
    kind = kind_of(op.memref)
    *outer, columns = kind.get_shape()
    step = 8 * _ROW_BYTES // element_bits(kind.element_type)
    padded = MemRefType(
        kind.element_type, [*outer, -(-columns // step) * step], NoneAttr(), kind.memory_space
    )
    alloc = memref.AllocOp([], [], padded)
    view = memref.SubviewOp.from_static_parameters(
        alloc.memref, padded, [0] * (len(outer) + 1), [*outer, columns], [1] * (len(outer) + 1)
    )
    name = op.memref.name_hint
    replace(op, [alloc, view])
    alloc.memref.name_hint = name
    view.result.name_hint = f"{name}_rows" if name else None
    _follow(view.result)


def _follow(tile: SSAValue) -> None:
    """Gives the slices of a padded tile its strides."""
    for use in list(tile.uses):
        op = use.operation
        if isinstance(op, memref.SubviewOp):
            shape = kind_of(op.result).get_shape()
            fresh = subview(tile, *box_of(op), shape)
            hint = op.result.name_hint
            replace(op, [fresh])
            fresh.result.name_hint = hint
            _follow(fresh.result)
