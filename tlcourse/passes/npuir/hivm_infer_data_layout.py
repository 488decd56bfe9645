"""Pass hivm-infer-data-layout: tiles of the cube core become blocks of 16 rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.dma import LoadOp, ND2NZOp
from tlcourse.dialects.hivm.vector import dims_of
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
    extents; a slice of it becomes a slice of whole blocks. Rows follow each other from one
    block into the next, so a slice may start at any row; its blocks then start there too.

    Differs from upstream: what upstream reaches with three passes (a layout conversion op,
    its removal, canonicalisation of the sizes) happens in one step. A slice that starts at a
    known column inside a block is refused; upstream moves the pointer by that many elements,
    and the cube reads the end of one row and the start of the next as one.

    Raises:
        TL303: a tile of open size, or a slice that has no columns of blocks of its own.
    """

    name = "hivm-infer-data-layout"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, LoadOp) and space_of(op.dst) == "cbuf":
                replace(op, [ND2NZOp(op.src, op.dst)])
            elif isinstance(op, memref.AllocOp) and space_of(op.memref) in ("cbuf", "cc"):
                if len(kind_of(op.memref).get_shape()) < _FRACTAL_RANK:
                    _convert(function, op)


def _convert(function: func.FuncOp, op: memref.AllocOp) -> None:
    old = kind_of(op.memref)
    *outer, rows, columns = old.get_shape()
    if DYNAMIC_INDEX in old.get_shape():
        raise _unsupported(op, f"the size of {name_of(op.memref)} is not constant")
    block = _block_of(old, space_of(op.memref))
    blocks = [-(-columns // block[1]), -(-rows // block[0]), *block]
    alloc = memref.AllocOp(
        [], [], MemRefType(old.element_type, [*outer, *blocks], NoneAttr(), old.memory_space)
    )
    cast = CastOp(alloc.memref, _open(kind_of(alloc.memref)))
    for use in list(op.memref.uses):
        if isinstance(use.operation, memref.SubviewOp):
            _Slice(function, use.operation, block).convert(alloc.memref)
    name = op.memref.name_hint
    replace(op, [alloc, cast])
    alloc.memref.name_hint = name
    cast.dest.name_hint = f"{name}_nz" if name else None


def _block_of(kind: MemRefType, space: str) -> tuple[int, int]:
    """Rows and columns of a block: 16 and 32 bytes in L1, 16 and 16 elements in L0C."""
    if space == "cc":
        return _ROWS, _ROWS
    return _ROWS, _BLOCK_BYTES * 8 // element_bits(kind.element_type)


def _open(kind: MemRefType) -> MemRefType:
    """The type with unknown extents, as the ops of the cube take it."""
    layout = kind.layout
    rank = len(kind.get_shape())
    if isinstance(layout, StridedLayoutAttr):
        layout = StridedLayoutAttr([*[None] * (rank - 1), 1], None)
    return MemRefType(kind.element_type, [DYNAMIC_INDEX] * rank, layout, kind.memory_space)


@dataclass(frozen=True)
class _Slice:
    """A slice of a two-dimensional tile, or of one tile of several, on its way to blocks.

    A slice of one row or column may have dropped that dimension: its blocks have it still.
    """

    function: func.FuncOp
    op: memref.SubviewOp
    block: tuple[int, int]

    def convert(self, buffer: SSAValue) -> None:
        op, new_ops = self.op, list[Operation]()
        *outer, row, column = _entries(op.static_offsets, op.offsets)
        *counts, rows, columns = _entries(op.static_sizes, op.sizes)
        if any(count != 1 for count in counts):
            raise _unsupported(op, f"the slice of {name_of(op.source)} spans several tiles")
        self._check_column(column)
        columns_in, rows_in = self._start(column, 1, new_ops), self._start(row, 0, new_ops)
        starts = [*outer, columns_in[0], rows_in[0], rows_in[1], columns_in[1]]
        sizes = [self._blocks(columns, 1, new_ops), self._blocks(rows, 0, new_ops), *self.block]
        extents = [*counts, *sizes]
        ones = [1] * len(extents)
        kind = memref.SubviewOp.infer_result_type(kind_of(buffer), starts, extents, ones)
        kind = _without_outer(kind, len(counts))
        view = memref.SubviewOp.get(buffer, starts, extents, ones, kind)
        replace(op, [*new_ops, view, CastOp(view.result, _open(kind))])

    def _check_column(self, offset: SSAValue | int) -> None:
        extent = self.block[1]
        if isinstance(offset, int) and offset % extent:
            raise _unsupported(
                self.op, f"the slice starts at column {offset}, in a block of {extent}"
            )

    def _start(
        self, offset: SSAValue | int, dim: int, new_ops: list[Operation]
    ) -> tuple[SSAValue | int, SSAValue | int]:
        """The block in which an offset lies, and its place there."""
        extent = self.block[dim]
        if isinstance(offset, int):
            return offset // extent, offset % extent
        if self._is_multiple(offset, extent):
            return self._divided(offset, dim, new_ops), 0
        rest = arith.RemSIOp(offset, constant(self.function, extent, IndexType()))
        new_ops.append(rest)
        return self._divided(offset, dim, new_ops), rest.result

    def _is_multiple(self, value: SSAValue, of: int) -> bool:
        """Whether an offset is seen to be a multiple of the block."""
        op = value.owner
        match op:
            case arith.ConstantOp():
                return isinstance(op.value, IntegerAttr) and op.value.value.data % of == 0
            case arith.IndexCastOp():
                return self._is_multiple(op.input, of)
            case arith.MuliOp():
                return self._is_multiple(op.lhs, of) or self._is_multiple(op.rhs, of)
            case arith.AddiOp() | arith.SubiOp():
                return self._is_multiple(op.lhs, of) and self._is_multiple(op.rhs, of)
            case _:
                return False

    def _blocks(self, size: SSAValue | int, dim: int, new_ops: list[Operation]) -> SSAValue | int:
        extent = self.block[dim]
        if isinstance(size, int):
            return -(-size // extent)
        rounded = arith.AddiOp(size, constant(self.function, extent - 1, IndexType()))
        new_ops.append(rounded)
        return self._divided(rounded.result, dim, new_ops)

    def _divided(self, value: SSAValue, dim: int, new_ops: list[Operation]) -> SSAValue:
        extent = constant(self.function, self.block[dim], IndexType())
        new_ops.append(divided := arith.DivSIOp(value, extent))
        return divided.result


def _entries(static: DenseArrayBase, dynamic: Sequence[SSAValue]) -> list[SSAValue | int]:
    """Numbers, and values where the number is open."""
    values = iter(dynamic)
    return [next(values) if n == DYNAMIC_INDEX else n for n in dims_of(static)]


def _without_outer(kind: MemRefType, count: int) -> MemRefType:
    """The type of one tile of several: the outer dimensions, of extent 1, are dropped."""
    if not count:
        return kind
    strides = kind.get_strides()
    assert strides is not None
    layout = StridedLayoutAttr(strides[count:], kind.get_offset())
    return MemRefType(kind.element_type, kind.get_shape()[count:], layout, kind.memory_space)


def _unsupported(op: Operation, what: str) -> TLError:
    return error(
        "TL303",
        f"a tile of the cube core cannot be laid out in blocks: {what}",
        why="L1 and L0C hold two-dimensional tiles as blocks of 16 rows and 32 bytes (L0C: 16 "
        "by 16), so a slice takes whole columns of blocks of one tile",
        fix="give the tile a constant shape and let the columns of slices start at multiples of "
        "the block",
        labels=labels_of(op),
    )
