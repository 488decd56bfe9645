"""How much scratch a reduction needs, in elements of its source."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
)

from tlcourse.dialects.hivm.vector import VReduceOp, dims_of
from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of
from tlcourse.passes.npuir.flattening import flattening
from tlcourse.passes.npuir.functions import is_marked
from tlcourse.passes.npuir.scratch_sizes import (
    BLOCK_BYTES,
    REPEAT_BYTES,
    bytes_of,
    per_block,
    up_to,
    whole,
)

_SAVES_UB = "hivm.enable_saving_ub"
_INDEX_BYTES = 4
_LOOPED_BITS = (64, 32, 16)  # integers of which the place of an extreme is found in a loop
_IN_64_BITS = ("min", "max", "sum", "prod", "xori")
_HALVED = ("sum", "max", "min", "prod", "ori", "andi")
_PLANES = 3  # a reduction of the middle one of three dimensions has a form of its own


def reduction_scratch(op: VReduceOp) -> int | None:
    """Elements of scratch; None for none.

    - of a row of floats: nothing up to a repeat, a repeat per row up to two, half of the
      buffer beyond; of fewer elements than a block, half of the buffer if even;
    - of a row of anything else: twice the buffer (xor three times), of more than a repeat a
      repeat and a block per row (xor two repeats);
    - along other dimensions: the whole buffer, or what halving it again and again takes;
    - where an extreme stands: a block along rows, else places, mask and a block.
    """
    if runs_in_a_loop(op):
        return None
    sizes = [_along(op, dim) for dim in dims_of(op.reduce_dims)]
    return max((size for size in sizes if size is not None), default=None)


def runs_in_a_loop(op: VReduceOp) -> bool:
    """Whether the chip has no vector form, so that the elements are taken one by one."""
    kind = kind_of(op.src)
    mode, element = op.arith.data, kind.element_type
    bits = element_bits(element)
    if "_with_index_" not in mode:
        return mode in _IN_64_BITS and isinstance(element, IntegerType) and bits == _LOOPED_BITS[0]
    if isinstance(element, IntegerType):
        return bits in _LOOPED_BITS
    along_rows = dims_of(op.reduce_dims)[0] == len(kind.get_shape()) - 1
    flat = flattening(op)
    rank = len(kind.get_shape()) if flat is None else len(flat.inputs)
    return rank > 2 or (along_rows and mode.endswith("right"))


def _along(op: VReduceOp, dim: int) -> int | None:
    kind, mode = kind_of(op.src), op.arith.data
    total, along_rows = whole(op.src), dim == len(kind.get_shape()) - 1
    if total is None or not (mode in _HALVED or mode == "xori" or "_with_index_" in mode):
        return None
    if "_with_index_" in mode:
        return per_block(kind.element_type) if along_rows else _for_places(kind, total)
    if along_rows:
        return _of_rows(op, dim, total)
    spare = per_block(kind.element_type) if mode == "xori" else 0
    return _of_planes(kind, total + spare, is_xor=mode == "xori")


def _for_places(kind: MemRefType, total: int) -> int:
    block = per_block(kind.element_type)
    if not is_static(kind):
        return up_to(total * 3 // 2, block)
    elements = math.prod(kind.get_shape())
    width = bytes_of(kind.element_type)
    places = up_to(elements * _INDEX_BYTES, REPEAT_BYTES // width) // width
    mask = -(-elements // (8 * block)) * block
    return places + mask + block


def _of_planes(kind: MemRefType, total: int, *, is_xor: bool) -> int:
    """Halving the middle dimension of all planes at once, or plane by plane."""
    if len(kind.get_shape()) != _PLANES or not is_static(kind):
        return total
    planes, rows, columns = kind.get_shape()
    block = BLOCK_BYTES // bytes_of(kind.element_type)
    main = 1 << (rows.bit_length() - 1)  # the greatest power of two among the rows
    steps = main.bit_length() - 1 + rows - main
    aligned = up_to(columns, block)
    if steps <= planes:
        half = main // 2 * planes * aligned
        return max(total, up_to(half, block) + half if is_xor else half)
    strides = kind.get_strides()
    stride = strides[1] if strides is not None and strides[1] is not None else columns
    half = main // 2 * stride
    if is_xor:
        return max(rows * columns + block, up_to(rows * aligned // 2, block) + half)
    return max(rows * columns, half)


def _of_rows(op: VReduceOp, dim: int, total: int) -> int | None:
    kind, mode = kind_of(op.src), op.arith.data
    is_xor, is_integer = mode == "xori", isinstance(kind.element_type, IntegerType)
    if not is_static(kind):
        return total * (3 if is_xor else 2) if is_integer else total
    width = bytes_of(kind.element_type)
    block, repeat = BLOCK_BYTES // width, REPEAT_BYTES // width
    extent, rows = kind.get_shape()[dim], _rows(op, dim)
    if is_integer or mode in ("prod", "ori", "xori"):
        if extent > repeat:
            return rows * (repeat * (2 if is_xor else 1) + block)
        return total * (3 if is_xor else 2)
    if not isinstance(kind.element_type, Float16Type | Float32Type):
        return total
    if mode in ("max", "min", "sum") and is_marked(op, _SAVES_UB):
        return None if extent <= repeat else -(-total // block)
    if len(kind.get_shape()) == 1 and mode in ("max", "min"):
        return None if extent <= repeat else repeat
    return _of_floats(extent, rows, total, block, repeat)


def _of_floats(extent: int, rows: int, total: int, block: int, repeat: int) -> int | None:
    if extent < block:
        return total // 2 if extent % 2 == 0 else None
    if extent <= repeat:
        return None
    return rows * repeat if extent <= 2 * repeat else total // 2


def _rows(op: VReduceOp, dim: int) -> int:
    """Rows that one call of the instruction reduces."""
    kind, target = kind_of(op.src), kind_of(op.dst[0])
    shape = kind.get_shape()
    if len(shape) < _PLANES:
        return shape[dim - 1] if dim else 1
    planes, rows = shape[-3], shape[-2]
    source, result = _steps(kind), _steps(target)
    if source is None or result is None:
        return planes * rows
    if _rows_per_plane(source) is not None and _rows_per_plane(source) == _rows_per_plane(result):
        return planes * source[0] // source[1]
    by_planes = result[1] == 1 or (result[0] != 1 and planes <= rows)
    return rows if by_planes else planes


def _steps(kind: MemRefType) -> tuple[int, int, int] | None:
    """The last three strides of a buffer with a layout of its own."""
    strides = kind.get_strides() if isinstance(kind.layout, StridedLayoutAttr) else None
    if strides is None or any(step is None for step in strides):
        return None
    plane, row, column = (step for step in strides[-3:] if step is not None)
    return plane, row, column


def _rows_per_plane(steps: tuple[int, int, int]) -> int | None:
    plane, row, column = steps
    return plane // row if row and plane % row == 0 and column == 1 else None
