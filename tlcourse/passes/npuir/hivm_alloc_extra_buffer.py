"""Pass hivm-alloc-extra-buffer: room that a vector op needs besides its operands."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from tlcourse.dialects.hivm.custom import CustomBaseOp
from tlcourse.dialects.hivm.vector import VectorPipeOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffers import memref_kind
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.scratch import scratch_of


@dataclass(frozen=True)
class HivmAllocExtraBufferPass(DevicePass):
    """Gives reductions and broadcasts along the last dimension their scratch buffer.

    ```
    vreduce <max> ins(%a : 8x512xf32) outs(%m) reduce_dims = [1]
      -->
    %t = memref.alloc() : memref<2048xf32>
    vreduce <max> ins(%a : 8x512xf32) outs(%m) temp_buffer(%t) reduce_dims = [1]
    ```

    Algorithm: sizes by a table per op, in elements of the op's dtype; a block is 32 bytes, a
    repeat 256 bytes. Reductions, broadcasts and conversions have files of their own. Further:
    - column broadcast inside an elementwise op: a block per row, rows rounded up to 8;
    - scalar operand of vsub and vdiv: one block;
    - choice by a bool tile: a block for the mask and one for each scalar; of 64 bits by bytes:
      the mask as numbers of 16 and of 32 bits; of 64 bits otherwise: nothing;
    - vxor, vgather: the size of the source, of the places; vpow of integers, vinterleave,
      vsort, vmulextended, vtranspose of 64 bits: what their steps keep;
    - 64-bit arithmetic, which the chip does element by element: nothing.
    - a custom op: the buffers that its extra_buffers_types and extra_buffers_sizes list.
    The memory of the scratch is told by hivm-infer-mem-scope, which runs after.

    Differs from upstream: an op on buffers of unknown size gets none.

    Source: what hivm-alloc-extra-buffer of ascendnpu-ir 1.2.0 allocates.
    """

    name = "hivm-alloc-extra-buffer"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, VectorPipeOp) and _lacks_scratch(op):
                scratch = scratch_of(op)
                if scratch is not None:
                    _attach(op, *scratch)
            elif isinstance(op, CustomBaseOp) and not op.temp_buffers:
                _attach_asked(op)


def _lacks_scratch(op: VectorPipeOp) -> bool:
    names = [name for name, _ in op.get_irdl_definition().operands]
    on_buffers = all(memref_kind(value) is not None for value in op.destinations())
    return on_buffers and "temp_buffer" in names and not op.values("temp_buffer")


def _attach_asked(op: CustomBaseOp) -> None:
    """Gives a custom op the buffers that its attributes ask for."""
    wanted = [
        memref.AllocOp([], [], MemRefType(element, [count]))
        for element, count in op.extra_buffers()
    ]
    insert_before(op, wanted)
    set_operands(op, "temp_buffers", [alloc.memref for alloc in wanted])


def _attach(op: VectorPipeOp, elements: int, element: Attribute) -> None:
    alloc = memref.AllocOp([], [], MemRefType(element, [elements]))
    alloc.memref.name_hint = "scratch"
    insert_before(op, [alloc])
    set_operands(op, "temp_buffer", [alloc.memref])
