"""Pass hivm-alloc-extra-buffer: room that a vector op needs besides its operands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerType, MemRefType, NoneAttr, i1
from xdsl.ir import SSAValue

from tlcourse.dialects.hivm.choices import VSelOp
from tlcourse.dialects.hivm.vector import (
    ElementwiseOp,
    VBrcOp,
    VCastOp,
    VectorPipeOp,
    VReduceOp,
    dims_of,
)
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of, memref_kind, roots
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.operands import set_operands

_BLOCK_BYTES = 32  # the unit in which a vector op addresses UB
_REPEAT_BYTES = 256  # eight blocks: what one repeat of a vector op takes
_ROWS_PER_REPEAT = 8  # rows that one repeat spreads when a column is broadcast
_NO_VECTOR_BITS = 64
_WITHOUT_SCALAR_FORM = ("vsub", "vdiv")  # the chip has no vector-scalar form of these


@dataclass(frozen=True)
class HivmAllocExtraBufferPass(DevicePass):
    """Gives reductions and broadcasts along the last dimension their scratch buffer.

    ```
    vreduce <max> ins(%a : 8x512xf32) outs(%m) reduce_dims = [1]
      -->
    %t = memref.alloc() : memref<2048xf32, ub>
    vreduce <max> ins(%a : 8x512xf32) outs(%m) temp_buffer(%t) reduce_dims = [1]
    ```

    Algorithm: sizes by the table below, in elements of the op's dtype. A block is 32 bytes,
    a repeat 256 bytes.
    - column broadcast inside an elementwise op: a block per row, rows rounded up to 8;
    - scalar operand of vsub and vdiv: one block;
    - float reduction of a row: nothing up to a repeat, a repeat per row up to two, half of
      the source beyond; of fewer elements than a block, half of the source if even;
    - other reductions: the size of the source, integers along rows twice that;
    - choice by a bool tile: a block for the mask and one for each scalar; 64 bits: nothing;
    - conversion of a bool tile: three blocks;
    - 64-bit arithmetic, which the chip does element by element: nothing.

    Differs from upstream: only ops of our vector table; upstream's sizes for these.

    Source: what hivm-alloc-extra-buffer of ascendnpu-ir 1.2.0 allocates.
    """

    name = "hivm-alloc-extra-buffer"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if not isinstance(op, VectorPipeOp):
                continue
            elements = None if _runs_in_a_loop(op) else _extra_elements(op)
            if elements is not None:
                _attach(op, elements)


def _attach(op: VectorPipeOp, elements: int) -> None:
    kind = kind_of(op.destinations()[0])
    scratch = MemRefType(kind.element_type, [elements], NoneAttr(), kind.memory_space)
    alloc = memref.AllocOp([], [], scratch)
    alloc.memref.name_hint = "scratch"
    insert_before(op, [alloc])
    set_operands(op, "temp_buffer", [alloc.memref])


def _runs_in_a_loop(op: VectorPipeOp) -> bool:
    """Whether the chip has no vector form: 64 bits, and where in a column an extreme stands."""
    if isinstance(op, VReduceOp) and "_with_index_" in op.arith.data:
        kind = kind_of(op.src)
        along_rows = len(kind.get_shape()) - 1 in dims_of(op.reduce_dims)
        return not along_rows or isinstance(kind.element_type, IntegerType)
    if not isinstance(op, ElementwiseOp | VReduceOp):
        return False
    kind = memref_kind(op.destinations()[0])
    return kind is not None and element_bits(kind.element_type) == _NO_VECTOR_BITS


def _extra_elements(op: VectorPipeOp) -> int | None:
    if isinstance(op, VSelOp):
        return _for_choice(op) if op.temp_buffer is None else None
    if isinstance(op, VCastOp):
        return _for_cast(op) if op.temp_buffer is None else None
    if isinstance(op, ElementwiseOp) and op.temp_buffer is None:
        return _for_elementwise(op)
    if isinstance(op, VReduceOp) and op.temp_buffer is None:
        sizes = [_for_reduction(op, dim) for dim in dims_of(op.reduce_dims)]
        return max((size for size in sizes if size is not None), default=None)
    if isinstance(op, VBrcOp) and op.temp_buffer is None:
        return _for_broadcast(op)
    return None


def _for_choice(op: VSelOp) -> int | None:
    bits = element_bits(kind_of(op.dst[0]).element_type)
    scalars = sum(memref_kind(source) is None for source in op.src[1:])
    return None if bits == 64 else _BLOCK_BYTES * 8 // bits * (1 + scalars)


def _for_cast(op: VCastOp) -> int | None:
    if kind_of(op.src[0]).element_type != i1:
        return None
    return 3 * _BLOCK_BYTES * 8 // element_bits(kind_of(op.dst[0]).element_type)


def _for_elementwise(op: ElementwiseOp) -> int | None:
    kind = kind_of(op.dst[0])
    per_block = _BLOCK_BYTES * 8 // element_bits(kind.element_type)
    total = 0
    for source in op.src:
        read = memref_kind(source)
        if read is None:
            scalar = op.name.removeprefix("hivm.hir.") in _WITHOUT_SCALAR_FORM
            total += per_block if scalar else 0
        elif read.get_shape()[-1] == 1 != kind.get_shape()[-1]:
            total += per_block * _spread_rows(read)
    return total or None


def _spread_rows(kind: MemRefType) -> int:
    rows = kind.get_shape()[-2] if len(kind.get_shape()) > 1 else 1
    return 1 if rows == 1 else -(-rows // _ROWS_PER_REPEAT) * _ROWS_PER_REPEAT


def _for_broadcast(op: VBrcOp) -> int | None:
    kind = kind_of(op.dst)
    dims = [] if op.broadcast_dims is None else dims_of(op.broadcast_dims)
    rank = len(kind.get_shape())
    if dims != [rank - 1] or rank < 2 or not is_static(kind):
        return None
    bits = element_bits(kind.element_type)
    per_block = _BLOCK_BYTES * 8 // bits
    rows, columns = kind.get_shape()[-2:]
    source_rows = kind_of(op.src).get_shape()
    if bits == 64 or math.prod(source_rows) == 1:
        return None
    rows = -(-rows // _ROWS_PER_REPEAT) * _ROWS_PER_REPEAT
    aligned = columns % per_block == 0
    return rows * per_block if aligned else rows * (-(-columns // per_block) * per_block)


def _for_reduction(op: VReduceOp, dim: int) -> int | None:
    kind = kind_of(op.src)
    shape, total = kind.get_shape(), _elements(op.src)
    bits = element_bits(kind.element_type)
    block, repeat = _BLOCK_BYTES * 8 // bits, _REPEAT_BYTES * 8 // bits
    if dim != len(shape) - 1:
        return total
    extent, rows = shape[dim], math.prod(shape[:dim])
    if isinstance(kind.element_type, IntegerType):
        return rows * (repeat + block) if extent > repeat else 2 * total
    if len(shape) == 1 and op.arith.data in ("max", "min"):
        return None if extent <= repeat else repeat
    if extent < block:
        return total // 2 if extent % 2 == 0 else None
    if extent <= repeat:
        return None
    return rows * repeat if extent <= 2 * repeat else total // 2


def _elements(value: SSAValue) -> int:
    """Elements of the whole buffer behind a view, padding included."""
    return max(math.prod(kind_of(root).get_shape()) for root in roots(value))
