"""How much scratch a vector op needs besides its operands, in elements, and of which dtype."""

from __future__ import annotations

from functools import singledispatch

from xdsl.dialects.builtin import Float16Type, Float32Type, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects.hivm.choices import VSelOp, VShROp
from tlcourse.dialects.hivm.sequences import VMulextendedOp, VSortOp
from tlcourse.dialects.hivm.shapes import VGatherOp, VInterleaveOp, VTransposeOp
from tlcourse.dialects.hivm.vector import ElementwiseOp, VBrcOp, VCastOp, VReduceOp, dims_of
from tlcourse.passes.npuir.broadcast_scratch import broadcast_scratch, spread_scratch
from tlcourse.passes.npuir.buffers import element_bits, is_static, kind_of, memref_kind
from tlcourse.passes.npuir.conversion_scratch import conversion_scratch
from tlcourse.passes.npuir.reduction_scratch import reduction_scratch
from tlcourse.passes.npuir.scratch_sizes import REPEAT_BYTES, per_block, up_to, whole

Scratch = tuple[int, Attribute]

_WIDE_BITS = 64
_WITHOUT_SCALAR_FORM = ("vsub", "vdiv")  # the chip has no vector-scalar form of these
_SHIFTS = ("vshl", "vshr")  # the chip shifts by a scalar only
_LOOPED = ("vmul", "vadd", "vmax", "vmin", "vsub", "vdiv", "vabs", *_SHIFTS)
_SPREADING = (
    *_LOOPED,
    *("vand", "vor", "vnot", "vln", "vrelu", "vexp", "vrsqrt", "vsqrt", "vrec"),
)
_TRANSPOSED = 512  # elements of 64 bits that the exchange of rows and columns goes through
_SORTED_AT_ONCE = 32
# Scratch of vsort per element, by (with places, descending): for 32 bits, for 16 bits.
_SORT = {
    (True, True): (4, 8),
    (True, False): (5, 9),
    (False, True): (5, 10),
    (False, False): (6, 11),
}


@singledispatch
def scratch_of(op: Operation) -> Scratch | None:
    """Elements and dtype of the scratch that an op on buffers needs; None for none."""
    return None


def _of(value: SSAValue, elements: int | None) -> Scratch | None:
    return None if elements is None else (elements, kind_of(value).element_type)


@scratch_of.register
def _for_choice(op: VSelOp) -> Scratch | None:
    element = kind_of(op.dst[0]).element_type
    scalars = sum(memref_kind(source) is None for source in op.src[1:])
    if element_bits(element) != _WIDE_BITS:
        return per_block(element) * (1 + scalars), element
    mask = memref_kind(op.src[0])
    if scalars or mask is None or mask.element_type == i1:
        return None
    kind = kind_of(op.dst[0])
    extent = kind.get_shape()[-1] if is_static(kind) else whole(op.dst[0])
    return _of(
        op.dst[0], None if extent is None else up_to(extent, 8) // 2 + up_to(extent, 16) // 4
    )


@scratch_of.register
def _for_elementwise(op: ElementwiseOp | VShROp) -> Scratch | None:
    name = op.name.removeprefix("hivm.hir.")
    if name == "vxor":
        return _of(op.src[0], whole(op.src[0]))
    if name == "vpow":
        return _for_power(op)
    if name not in _SPREADING or _runs_in_a_loop(op, name):
        return None
    target = op.dst[0]
    total = sum(spread_scratch(source, target) for source in op.src)
    if name in _WITHOUT_SCALAR_FORM and any(memref_kind(source) is None for source in op.src):
        total += per_block(kind_of(target).element_type)
    return _of(target, total or None)


def _runs_in_a_loop(op: ElementwiseOp | VShROp, name: str) -> bool:
    if name in _SHIFTS and memref_kind(op.src[1]) is not None:
        return True
    wide = element_bits(kind_of(op.dst[0]).element_type) == _WIDE_BITS
    return name in _LOOPED and wide


def _for_power(op: ElementwiseOp | VShROp) -> Scratch | None:
    """Of integers: base and exponent, two masks, and what a sum needs."""
    total = whole(op.src[0])
    if kind_of(op.src[0]).element_type != i32 or total is None:
        return None
    block, repeat = per_block(i32), REPEAT_BYTES // 4
    mask = up_to(total, per_block(i1)) // (per_block(i1) // block)
    summed = up_to(3 * total // 2, block) if total <= repeat else repeat + block
    return 2 * total + block + 2 * mask + summed, i32


@scratch_of.register
def _for_interleaved(op: VInterleaveOp) -> Scratch | None:
    kind = kind_of(op.src[0])
    extent, block = kind.get_shape()[-1], per_block(kind.element_type)
    return (
        None if extent < 0 else _of(op.src[0], up_to(extent, 8) * block + up_to(2 * extent, block))
    )


@scratch_of.register
def _for_transposed(op: VTransposeOp) -> Scratch | None:
    order = dims_of(op.permutation)
    wide = element_bits(kind_of(op.src).element_type) == _WIDE_BITS
    return _of(op.src, _TRANSPOSED if wide and order[-1] != len(order) - 1 else None)


@scratch_of.register
def _for_sorted(op: VSortOp) -> Scratch | None:
    kind = kind_of(op.src)
    extent = kind.get_shape()[-1] if is_static(kind) else whole(op.src)
    if extent is None or not isinstance(kind.element_type, Float16Type | Float32Type):
        return None
    wide, narrow = _SORT[len(op.dst) == 2, op.is_descending]
    per_element = wide if isinstance(kind.element_type, Float32Type) else narrow
    extent = 0 if extent == 1 else extent
    return _of(op.src, per_element * up_to(extent, _SORTED_AT_ONCE))


@scratch_of.register
def _for_halves(op: VMulextendedOp) -> Scratch | None:
    total = whole(op.src[0])
    return None if total is None else (3 * up_to(total, per_block(i32)), i32)


@scratch_of.register
def _for_conversion(op: VCastOp) -> Scratch | None:
    return conversion_scratch(op)


@scratch_of.register
def _for_broadcast(op: VBrcOp) -> Scratch | None:
    return _of(op.dst, broadcast_scratch(op))


@scratch_of.register
def _for_reduction(op: VReduceOp) -> Scratch | None:
    return _of(op.src, reduction_scratch(op))


@scratch_of.register
def _for_gathered(op: VGatherOp) -> Scratch | None:
    return _of(op.indices, whole(op.indices))
