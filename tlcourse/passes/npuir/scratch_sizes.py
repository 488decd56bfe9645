"""Tables of the chip's units, in elements of a dtype, for the sizes of scratch buffers."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of, roots

BLOCK_BYTES = 32  # the unit in which a vector op addresses UB
REPEAT_BYTES = 256  # eight blocks: what one repeat of a vector op takes
_BYTE = 8


def up_to(number: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-number // step) * step


def per_block(element: Attribute) -> int:
    """Elements of a block; bools are packed."""
    return BLOCK_BYTES * _BYTE // element_bits(element)


def bytes_of(element: Attribute) -> int:
    """Bytes that an element takes by itself; a bool takes one."""
    return -(-element_bits(element) // _BYTE)


def whole(value: SSAValue) -> int | None:
    """Elements of the whole buffer behind a view, padding included; None where it is open.

    The buffer may be seen as another dtype; the elements are those of the view.
    """
    kinds = [kind_of(root) for root in roots(value)]
    if not all(is_static(kind) for kind in kinds):
        return None
    own = element_bits(kind_of(value).element_type)
    return max(math.prod(k.get_shape()) * element_bits(k.element_type) // own for k in kinds)


def lies_on_blocks(kind: MemRefType) -> bool:
    """Whether every row of a buffer begins at a block."""
    strides = kind.get_strides()
    if strides is None or len(strides) < 2 or strides[-2] is None:
        return False
    return strides[-2] * element_bits(kind.element_type) // _BYTE % BLOCK_BYTES == 0
