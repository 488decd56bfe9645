"""Which values of an element loop have a vector form, and why the others have none."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.vector_ops import ALL_OPS
from tlcourse.passes.tir.element_loops import Nest, Place, absorbs, ends_in_ones, places_of

BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "vadd",
    arith.AddiOp: "vadd",
    arith.SubfOp: "vsub",
    arith.SubiOp: "vsub",
    arith.MulfOp: "vmul",
    arith.MuliOp: "vmul",
    arith.DivfOp: "vdiv",
    arith.FloorDivSIOp: "vfloordiv",
    arith.MaximumfOp: "vmax",
    arith.MaxSIOp: "vmax",
    arith.MinimumfOp: "vmin",
    arith.MinSIOp: "vmin",
}
UNARY: dict[type[Operation], str] = {
    math.ExpOp: "vexp",
    math.LogOp: "vln",
    math.SqrtOp: "vsqrt",
    math.RsqrtOp: "vrsqrt",
    math.AbsFOp: "vabs",
}
# Conversions whose vector form gives the same numbers; FPToSI rounds where a scalar is cut off,
# as upstream's does. A shorter integer would be limited where a scalar wraps.
CASTS = (arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.FPToSIOp, arith.ExtSIOp)
_CASTS_OF_BOOL = (arith.UIToFPOp, arith.ExtUIOp)
# By the number that a comparison holds. Comparisons of unsigned integers have no vector form.
_INTEGER_MODES = {0: "eq", 1: "ne", 2: "lt", 3: "le", 4: "gt", 5: "ge"}
_FLOAT_MODES = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}
# LegalizeNpuirBF16 brings these to float32 later on; upstream lets no bfloat16 division in.
_BFLOAT16 = (
    *("vadd", "vsub", "vmul", "vmax", "vmin", "vexp", "vln", "vsqrt", "vrsqrt", "vabs"),
    *("vcmp", "vsigmoid"),
)


def compare_mode(op: Operation) -> str:
    """The mode of T.vcmp for a scalar comparison; empty if there is none."""
    if isinstance(op, arith.CmpfOp):
        return _FLOAT_MODES.get(op.predicate.value.data, "")
    assert isinstance(op, arith.CmpiOp)
    return _INTEGER_MODES.get(op.predicate.value.data, "")


def is_cast(op: Operation) -> bool:
    """Whether an op is a conversion that has a vector form."""
    if isinstance(op, _CASTS_OF_BOOL):
        return op.operands[0].type == i1
    return isinstance(op, CASTS)


def is_name(value: SSAValue) -> bool:
    """Whether a value is a constant or has a name in the kernel: nothing is computed for it."""
    return isinstance(value.owner, (Block, arith.ConstantOp, tl.LetOp))


def inside_sigmoid(op: Operation) -> SSAValue | None:
    """The x of 1 / (1 + e ** (0 - x)), which is how a scalar T.sigmoid is written."""
    below = _of_constant(op, arith.DivfOp, 1.0)
    power = below and _of_constant(below.owner, arith.AddfOp, 1.0)
    if power is None or not isinstance(power.owner, math.ExpOp):
        return None
    return _of_constant(power.owner.operand.owner, arith.SubfOp, 0.0)


def why_no_tile(nest: Nest, value: SSAValue) -> str:
    """Why a value over all iterations is no tile; empty if it is one."""
    op = value.owner
    if nest.is_invariant(value) or nest.is_variable(value):
        return ""
    if isinstance(op, Operation) and (inner := inside_sigmoid(op)) is not None:
        return _why_no_dtype("vsigmoid", value.type) or why_no_tile(nest, inner)
    if isinstance(op, tl.LoadOp):
        return why_no_region(nest, op.buffer, op.indices)
    assert isinstance(op, Operation), "block arguments are invariant or variables"
    reason = _why_no_op(op)
    parts = (why_no_tile(nest, operand) for operand in op.operands)
    return reason or next((part for part in parts if part), "")


def why_no_region(nest: Nest, buffer: SSAValue, indices: Sequence[SSAValue]) -> str:
    """Why an access over all iterations is no region of its buffer; empty if it is one."""
    places = places_of(nest, indices)
    name = name_of(buffer)
    if places is None:
        return f"an index of {name} is no loop variable"
    order = [place.depth for place in places if place.depth is not None]
    if order != sorted(order):
        return f"{name} is indexed with the loop variables in another order"
    is_narrow = len(order) < len(nest.loops)
    if not (ends_in_ones(nest, buffer, places) if is_narrow else absorbs(nest, buffer, places)):
        return f"the loop takes a part of {name} that does not lie in one piece"
    return ""


def why_unsafe(nest: Nest, store: tl.StoreOp) -> str:
    """Why the order of the iterations counts; empty if it does not."""
    stored = places_of(nest, store.indices)
    assert stored is not None, "the store is a region"
    for loop in nest.loops:
        for op in loop.body.block.ops:
            if not isinstance(op, tl.LoadOp) or op.buffer is not store.buffer:
                continue
            places = places_of(nest, op.indices)
            if places is None or not (_same(stored, places) or _apart(nest, stored, places)):
                return f"{name_of(store.buffer)} is also loaded at another place"
    return ""


def name_of(buffer: SSAValue) -> str:
    """The learner's name of a buffer."""
    owner = buffer.owner
    return owner.label.data if isinstance(owner, tl.AllocOp) else buffer.name_hint or "a buffer"


def is_same_value(left: SSAValue, right: SSAValue) -> bool:
    """Whether two index values are the same expression."""
    if left is right:
        return True
    a, b = left.owner, right.owner
    if not isinstance(a, Operation) or not isinstance(b, Operation) or type(a) is not type(b):
        return False
    if isinstance(a, tl.LoadOp) or a.properties != b.properties or a.attributes != b.attributes:
        return False
    pairs = list(zip(a.operands, b.operands, strict=True))
    is_whole = bool(pairs) or isinstance(a, arith.ConstantOp)
    return is_whole and all(is_same_value(x, y) for x, y in pairs)


def _why_no_op(op: Operation) -> str:
    if isinstance(op, (arith.CmpfOp, arith.CmpiOp)):
        mode = compare_mode(op)
        return _why_no_dtype("vcmp", op.operands[0].type) if mode else "a comparison without signs"
    if isinstance(op, arith.SelectOp):
        return _why_no_dtype("vselect", op.result.type)
    if is_cast(op):
        return ""
    mnemonic = BINARY.get(type(op)) or UNARY.get(type(op))
    if mnemonic is None:
        return f"{op.name} has no vector form"
    return _why_no_dtype(mnemonic, op.results[0].type)


def _of_constant(op: Operation | Block, kind: type[Operation], number: float) -> SSAValue | None:
    """The last operand of a binary op whose first one is a certain constant."""
    if not isinstance(op, kind) or not isinstance(op.operands[0].owner, arith.ConstantOp):
        return None
    first = op.operands[0].owner.value
    is_number = isinstance(first, FloatAttr) and first.value.data == number
    return op.operands[1] if is_number else None


def _why_no_dtype(mnemonic: str, kind: Attribute) -> str:
    dtype = dtype_of(kind).name
    allowed = dtype in ALL_OPS[mnemonic].dtypes
    if allowed or (dtype == "bfloat16" and mnemonic in _BFLOAT16):
        return ""
    return f"T.{mnemonic} takes no {dtype}"


def _same(stored: Sequence[Place], loaded: Sequence[Place]) -> bool:
    pairs = zip(stored, loaded, strict=True)
    return all(
        a.depth == b.depth
        and len(a.terms) == len(b.terms)
        and all(
            p == q and is_same_value(x, y) for (p, x), (q, y) in zip(a.terms, b.terms, strict=True)
        )
        for a, b in pairs
    )


def _apart(nest: Nest, stored: Sequence[Place], loaded: Sequence[Place]) -> bool:
    """Whether two accesses never meet: along one dimension their ranges are apart."""
    for a, b in zip(stored, loaded, strict=True):
        first, second = nest.range_of(a), nest.range_of(b)
        if first and second and (first[1] <= second[0] or second[1] <= first[0]):
            return True
    return False
