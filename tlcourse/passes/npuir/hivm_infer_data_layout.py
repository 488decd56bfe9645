"""Pass hivm-infer-data-layout: tiles of the cube core become blocks of 16 rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.dma import LoadOp, ND2NZOp
from tlcourse.dialects.memref import CastOp
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.buffers import element_bits, kind_of, name_of
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.labels import labels_of
from tlcourse.passes.npuir.simplify import constant

_ROWS = 16  # rows of a block, in every memory of the cube core
_BLOCK_BYTES = 32  # bytes of a block's row in L1
_FRACTAL_RANK = 4


@dataclass(frozen=True)
class HivmInferDataLayoutPass(DevicePass):
    """Gives tiles in L1 and L0C the order in which the cube reads them.

    ```
    %a = memref.alloc() : memref<128x64xf16, cbuf>
                                        -->   %a = memref.alloc() : memref<4x8x16x16xf16, cbuf>
    nd2nz ins(%gm) outs(%a)                   %c = memref.cast %a to memref<?x?x?x?xf16, cbuf>
                                              nd2nz ins(%gm) outs(%c)
    ```

    A tile of R rows and C columns is stored as [C / c0][R / 16][16][c0]: columns of blocks,
    each block 16 rows of c0 elements. c0 is 32 bytes in L1 and 16 elements in L0C; R and C
    are rounded up.

    Algorithm: a load into L1 becomes nd2nz, which reorders on the way. Each two-dimensional
    allocation in L1 or L0C gets the four-dimensional type, its users a cast with open
    extents; a slice of it becomes a slice of whole blocks.

    Differs from upstream: what upstream reaches with three passes (a layout conversion op,
    its removal, canonicalisation of the sizes) happens in one step.

    Raises:
        TL303: a tile that is not two-dimensional, or a slice that cuts through a block.
    """

    name = "hivm-infer-data-layout"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, LoadOp) and space_of(op.dst) == "cbuf":
                replace(op, [ND2NZOp(op.src, op.dst)])
            elif isinstance(op, memref.AllocOp) and space_of(op.memref) in ("cbuf", "cc"):
                if len(kind_of(op.memref).get_shape()) != _FRACTAL_RANK:
                    _convert(function, op)


def _convert(function: func.FuncOp, op: memref.AllocOp) -> None:
    old = kind_of(op.memref)
    if len(old.get_shape()) != 2:
        raise _unsupported(op, f"{name_of(op.memref)} has {len(old.get_shape())} dimensions")
    block = _block_of(old, space_of(op.memref))
    kind = MemRefType(
        old.element_type, _blocks(old.get_shape(), block), NoneAttr(), old.memory_space
    )
    alloc = memref.AllocOp([], [], kind)
    cast = CastOp(alloc.memref, _open(kind))
    slices = [
        use.operation for use in op.memref.uses if isinstance(use.operation, memref.SubviewOp)
    ]
    for part in slices:
        _convert_slice(function, part, alloc.memref, block)
    name = op.memref.name_hint
    replace(op, [alloc, cast])
    alloc.memref.name_hint = name
    cast.dest.name_hint = f"{name}_nz" if name else None


def _block_of(kind: MemRefType, space: str) -> tuple[int, int]:
    """Rows and columns of a block: 16 and 32 bytes in L1, 16 and 16 elements in L0C."""
    if space == "cc":
        return _ROWS, _ROWS
    return _ROWS, _BLOCK_BYTES * 8 // element_bits(kind.element_type)


def _blocks(extents: Sequence[int], block: tuple[int, int]) -> tuple[int, int, int, int]:
    (rows, columns), (block_rows, block_columns) = extents, block
    return -(-columns // block_columns), -(-rows // block_rows), block_rows, block_columns


def _open(kind: MemRefType) -> MemRefType:
    """The type with unknown extents, as the ops of the cube take it."""
    layout = kind.layout
    if isinstance(layout, StridedLayoutAttr):
        layout = StridedLayoutAttr([None, None, None, 1], None)
    extents = [DYNAMIC_INDEX] * _FRACTAL_RANK
    return MemRefType(kind.element_type, extents, layout, kind.memory_space)


def _convert_slice(
    function: func.FuncOp, part: memref.SubviewOp, buffer: SSAValue, block: tuple[int, int]
) -> None:
    dynamic = iter(part.offsets)
    offsets = [
        next(dynamic) if offset == DYNAMIC_INDEX else offset
        for offset in part.static_offsets.get_values()
    ]
    sizes = [int(size) for size in part.static_sizes.get_values()]
    if len(sizes) != 2 or len(kind_of(part.result).get_shape()) != 2 or DYNAMIC_INDEX in sizes:
        raise _unsupported(
            part, f"the slice of {name_of(part.source)} has no fixed rows and columns"
        )
    new_ops: list[Operation] = []
    rows, columns = (
        _in_blocks(function, part, offset, extent, new_ops)
        for offset, extent in zip(offsets, block, strict=True)
    )
    starts: list[SSAValue | int] = [columns, rows, 0, 0]
    extents = _blocks(sizes, block)
    kind = memref.SubviewOp.infer_result_type(kind_of(buffer), starts, extents, [1] * 4)
    view = memref.SubviewOp.get(buffer, starts, extents, [1] * 4, kind)
    replace(part, [*new_ops, view, CastOp(view.result, _open(kind))])


def _in_blocks(
    function: func.FuncOp,
    part: Operation,
    offset: SSAValue | int,
    extent: int,
    new_ops: list[Operation],
) -> SSAValue | int:
    if isinstance(offset, int):
        if offset % extent:
            raise _unsupported(part, f"the slice starts at {offset}, inside a block of {extent}")
        return offset // extent
    divided = arith.DivSIOp(offset, constant(function, extent, IndexType()))
    new_ops.append(divided)
    return divided.result


def _unsupported(op: Operation, what: str) -> TLError:
    return error(
        "TL303",
        f"a tile of the cube core cannot be laid out in blocks: {what}",
        why="L1 and L0C hold two-dimensional tiles as blocks of 16 rows and 32 bytes (L0C: 16 "
        "by 16), so a slice takes whole blocks",
        fix="use a two-dimensional tile and let slices of it start at multiples of the block",
        labels=labels_of(op),
    )
