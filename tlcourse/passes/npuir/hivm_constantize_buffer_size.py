"""Pass hivm-constantize-buffer-size: a tile of open size gets room for its largest size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i8,
)

from tlcourse.diagnostics import error
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of, name_of
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.labels import labels_of
from tlcourse.passes.npuir.ranges import range_of
from tlcourse.passes.npuir.simplify import constant

_ANNOUNCED = "buffer_size_in_byte"


@dataclass(frozen=True)
class HivmConstantizeBufferSizePass(DevicePass):
    """Makes the size of every on-chip buffer a number.

    ```
    %n = arith.minsi %rest, %c32                   %b = memref.alloc() : memref<64xi8, ub>
    %t = memref.alloc(%n) : memref<1x?xf16, ub>  --> %t = memref.view %b[%c0][%n]
                                                       : memref<64xi8, ub> to memref<1x?xf16, ub>
    ```

    Algorithm: the largest value of each open extent follows from the ops that compute it:
    constants, minimum, sums, products, affine maps, loop indices with known ends. The buffer
    gets as many bytes as the largest tile has, and the tile is a view of its first bytes.
    Where a mark announces fewer bytes, the tile stays as it is.

    Differs from upstream: there the bounds come from affine maps, to which an earlier pass
    turns the arithmetic; here they are also read from the arithmetic itself. Upstream leaves
    an on-chip tile that nothing limits to the planning of memory, which refuses it.

    Raises:
        TL304: nothing bounds the extent of a tile.
    """

    name = "hivm-constantize-buffer-size"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, memref.AllocOp | memref.AllocaOp):
                if not is_static(kind_of(op.memref)) and space_of(op.memref) != "gm":
                    _make_room(function, op)


def _make_room(function: func.FuncOp, op: memref.AllocOp | memref.AllocaOp) -> None:
    kind = kind_of(op.memref)
    shape = _largest_shape(op)
    if shape is None:
        return
    size = math.ceil(math.prod(shape) * element_bits(kind.element_type) / 8)
    most = _announced_bytes(op)
    if most is not None and size > most:
        return
    room = type(op).build(
        operands=[[], []],
        result_types=[MemRefType(i8, [size], NoneAttr(), kind.memory_space)],
    )
    zero = constant(function, 0, IndexType())
    view = memref.ViewOp.build(
        operands=[room.memref, zero, list(op.dynamic_sizes)], result_types=[kind]
    )
    name = op.memref.name_hint
    replace(op, [room, view])
    room.memref.name_hint = name
    view.results[0].name_hint = f"{name}_now" if name else None


def _announced_bytes(op: memref.AllocOp | memref.AllocaOp) -> int | None:
    """The bytes that a mark says the buffer has at most."""
    for use in op.memref.uses:
        most = use.operation.attributes.get(_ANNOUNCED)
        if isinstance(use.operation, MarkOp) and isinstance(most, IntegerAttr):
            return most.value.data
    return None


def _largest_shape(op: memref.AllocOp | memref.AllocaOp) -> list[int] | None:
    """The largest extents; None where nothing limits one and no memory is told yet."""
    sizes = iter(op.dynamic_sizes)
    shape: list[int] = []
    for extent in kind_of(op.memref).get_shape():
        if extent != DYNAMIC_INDEX:
            shape.append(extent)
            continue
        largest = range_of(next(sizes)).high
        if largest is None and not space_of(op.memref):
            return None
        if largest is None:
            raise error(
                "TL304",
                f"nothing limits the size of {name_of(op.memref)}",
                why="addresses in on-chip memory are planned before the kernel runs",
                fix="give the tile a constant shape and use a slice of it where less is needed, "
                "for example of the extent T.min(block, size - start)",
                labels=labels_of(op),
            )
        shape.append(max(largest, 0))
    return shape
