"""How much scratch a conversion needs, in elements, and of which dtype."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType
from xdsl.ir import Attribute

from tlcourse.dialects.hivm.vector import VCastOp
from tlcourse.passes.npuir.buffers import element_bits, kind_of
from tlcourse.passes.npuir.functions import is_marked
from tlcourse.passes.npuir.scratch_sizes import BLOCK_BYTES, bytes_of, per_block, up_to, whole

_UNALIGNED = "hivm.disable_size_align_for_cast"
_OVERFLOW = "truncwithoverflow"
_BYTE = 8
# Integers whose low half becomes the result, by their bits: no room is needed, but a buffer is.
_HALVED = ((64, 32), (32, 16))


def conversion_scratch(op: VCastOp) -> tuple[int, Attribute] | None:
    """Elements of scratch and their dtype; None for none.

    - of bools: three blocks;
    - of integers to 8 bits, which are transposed, picked and transposed back: twice the
      source, or three times the source with rows and columns rounded up;
    - of integers to half their bits by cutting off: an empty buffer.
    """
    source, target = kind_of(op.src[0]), kind_of(op.dst[0])
    before, after = source.element_type, target.element_type
    bits = (element_bits(before), element_bits(after))
    if bits[0] == 1:
        return 3 * per_block(after), after
    if not all(isinstance(element, IntegerType) for element in (before, after)):
        return None
    if bits in _HALVED:
        cuts = op.round_mode is not None and op.round_mode.data == _OVERFLOW
        return (0, before) if cuts else None
    if bits not in ((32, _BYTE), (16, _BYTE)):
        return None
    total = whole(op.src[0])
    if is_marked(op, _UNALIGNED):
        return 3 * (_rounded_up(source, after) or total or 0), before
    return None if total is None else (2 * total, before)


def _rounded_up(kind: MemRefType, target: Attribute) -> int | None:
    """Elements of the source if its tile were one that both transpositions take."""
    width = bytes_of(kind.element_type)
    factor = width // bytes_of(target)
    lanes = BLOCK_BYTES // width * factor
    shape = list(kind.get_shape())
    if not shape or DYNAMIC_INDEX in shape:
        return None
    if len(shape) == 1:
        short = up_to(shape[0] * factor, lanes) * lanes
        step = short if shape[0] <= lanes else lanes * lanes * factor
        return up_to(shape[0], step // width)
    shape[-1] = up_to(shape[-1], BLOCK_BYTES // width)
    shape[-2] = up_to(shape[-2], lanes * factor // width)
    return math.prod(shape)
