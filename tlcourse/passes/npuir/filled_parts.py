"""Loads that fill a part of a tile at once, without a buffer in between."""

from __future__ import annotations

from xdsl.dialects import memref, tensor
from xdsl.ir import SSAValue

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.dma import LoadOp
from tlcourse.dialects.locations import inherit
from tlcourse.dialects.rewriting import insert_before


def only_load(value: SSAValue) -> LoadOp | None:
    """The load that fills a tile which nothing but one `insert_slice` reads."""
    if not isinstance(value.owner, ToTensorOp) or len(list(value.uses)) != 1:
        return None
    place = value.owner.memref
    loads = [use.operation for use in place.uses if isinstance(use.operation, LoadOp)]
    if len(loads) != 1 or len(list(place.uses)) != 2 or loads[0].dst is not place:
        return None
    return loads[0]


def load_into(load: LoadOp, part: memref.SubviewOp, op: tensor.InsertSliceOp) -> None:
    """Lets a load fill its part of the tile at once, without a buffer in between."""
    again = load.clone()
    again.operands[1] = part.result
    inherit([again], load.location)
    insert_before(op, [part, again])
    load.detach()
    load.erase()
