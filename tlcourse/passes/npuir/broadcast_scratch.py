"""How much scratch a broadcast and an elementwise op need, in elements of the destination."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import SSAValue

from tlcourse.dialects.hivm.vector import VBrcOp, dims_of
from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of, memref_kind
from tlcourse.passes.npuir.scratch_sizes import lies_on_blocks, per_block, up_to, whole

_ROWS_PER_REPEAT = 8  # rows that one repeat spreads when a column is broadcast
_HALF_BITS = 16  # bools are spread as numbers of 16 bits
_WIDE_BITS = 64  # moved element by element
_AXES = 3  # dimensions that one call takes; more are a loop around it


def broadcast_scratch(op: VBrcOp) -> int | None:
    """Elements of scratch; None for none.

    - of a column: a block per row, rows rounded up to 8, if the rows lie on blocks; else as
      much as the destination, rows and columns rounded up;
    - of a row, where rows do not lie on blocks: the destination with rows rounded up;
    - one element, the middle dimension, rows that lie on blocks: nothing.
    """
    dims = [] if op.broadcast_dims is None else dims_of(op.broadcast_dims)
    sizes = [_along(op, dim) for dim in dims]
    return max((size for size in sizes if size is not None), default=None)


def _along(op: VBrcOp, dim: int) -> int | None:
    kind, source = kind_of(op.dst), kind_of(op.src)
    rank = len(kind.get_shape())
    axis, axes = (dim + _AXES - rank, _AXES) if rank > _AXES else (dim, rank)
    total = whole(op.dst)
    if rank == 1 or total is None:
        return None
    if axis == axes - 1:
        return None if set(source.get_shape()) == {1} else _of_column(kind, total, op.src)
    if axis > 0 or lies_on_blocks(kind):
        return None
    if not is_static(kind):
        return total
    shape = kind.get_shape()
    row = math.prod(shape[-2:]) if rank > 2 else shape[-1]
    return shape[0] * up_to(row, per_block(kind.element_type))


def _of_column(kind: MemRefType, total: int, source: SSAValue) -> int | None:
    rows, columns = kind.get_shape()[-2:]
    bits, block = element_bits(kind.element_type), per_block(kind.element_type)
    if not lies_on_blocks(kind):
        return _of_loose_column(kind, total, source)
    if (rows % _ROWS_PER_REPEAT == 0 and columns == block) or bits == _WIDE_BITS:
        return 0
    if not is_static(kind):
        size = max(total * 2, _ROWS_PER_REPEAT * block)
        return size + block * 2 + total * _HALF_BITS if bits == 1 else size
    rows = up_to(rows, _ROWS_PER_REPEAT)
    return (rows + 2) * block + rows * _HALF_BITS if bits == 1 else rows * block


def _of_loose_column(kind: MemRefType, total: int, source: SSAValue) -> int | None:
    block = per_block(kind.element_type)
    if not is_static(kind):
        read = whole(source)
        if not read:
            return None
        return up_to(read, _ROWS_PER_REPEAT) * up_to(total // read, block)
    rows, columns = kind.get_shape()[-2:]
    wide = element_bits(kind.element_type) == _WIDE_BITS
    return (rows if wide else up_to(rows, _ROWS_PER_REPEAT)) * up_to(columns, block)


def spread_scratch(source: SSAValue, target: SSAValue) -> int:
    """Elements for an operand whose last dimension an elementwise op broadcasts; 0 for none."""
    read, kind = memref_kind(source), kind_of(target)
    if read is None or read.get_shape()[-1] != 1 or kind.get_shape()[-1] == 1:
        return 0
    block = per_block(read.element_type)
    rows = read.get_shape()[-2] if len(read.get_shape()) > 1 else 1
    if rows == DYNAMIC_INDEX:
        return whole(target) or 0
    return block if rows == 1 else block * up_to(rows, _ROWS_PER_REPEAT)
