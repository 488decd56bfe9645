"""Rules that make HIVM ops simpler, or drop them: dimensions of extent 1, chains, idle fills.

Each rule says whether it changed the op; the op may be gone afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects.hivm.attrs import PadModeAttr
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.choices import VCmpOp, VShROp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.dma import CopyOp, LoadOp
from tlcourse.dialects.hivm.sequences import VCumprodOp
from tlcourse.dialects.hivm.shapes import VCumsumOp, VPadOp, VTransposeOp
from tlcourse.dialects.hivm.vector import ElementwiseOp, VBrcOp, VCastOp, VReduceOp, dims_of
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.passes.npuir.flattening import numbers_of
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.reduction_starts import starts_neutral

_SPREADING = (ElementwiseOp, VCastOp, VCmpOp, VShROp)


@singledispatch
def fold_hivm(op: Operation) -> bool:
    """Makes an op simpler if a rule fits; whether one did."""
    if isinstance(op, _SPREADING):
        return _drop_idle_spreading(op)
    return False


def drop_unread(op: Operation) -> bool:
    """Erases an op on tensors whose results nobody reads."""
    on_tensors = isinstance(op, PipeOp) and all(_is_tensor(to) for to in op.destinations())
    if not op.results or not on_tensors or any(result.first_use for result in op.results):
        return False
    op.detach()
    op.erase()
    return True


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _extents(value: SSAValue) -> Sequence[int]:
    return value.type.get_shape() if isinstance(value.type, TensorType | MemRefType) else ()


def _wide(value: SSAValue, dims: Sequence[int]) -> list[int]:
    """The dimensions in which a tile has, or may have, more than one element."""
    extents = _extents(value)
    return [dim for dim in dims if extents[dim] != 1]


def _array(numbers: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(numbers))


def _becomes_copy(op: PipeOp, source: SSAValue, target: SSAValue) -> bool:
    """Puts the source in place of the result, on buffers a copy."""
    if op.results:
        if source.type != op.results[0].type:
            return False
        replace(op, [], [source, *[None] * (len(op.results) - 1)])
    elif isinstance(source.type, MemRefType):
        replace(op, [CopyOp(source, target)])
    else:
        return False
    return True


@fold_hivm.register
def _fold_broadcast(op: VBrcOp) -> bool:
    dims = numbers_of(op, "broadcast_dims")
    kept = _wide(op.dst, dims)
    if len(kept) == len(dims):
        return False
    if not kept:
        return _becomes_copy(op, op.src, op.dst)
    op.broadcast_dims = _array(kept)
    return True


@fold_hivm.register
def _fold_reduction(op: VReduceOp) -> bool:
    dims = dims_of(op.reduce_dims)
    kept = _wide(op.src, dims)
    if len(kept) == len(dims):
        return _drop_idle_starts(op)
    if kept:
        op.reduce_dims = _array(kept)
        return True
    places = "_with_index_" in op.arith.data
    if places and (not op.results or op.results[1].first_use is not None):
        return _becomes_copy_and_zeros(op)
    return _becomes_copy(op, op.src, op.dst[0])


def _becomes_copy_and_zeros(op: VReduceOp) -> bool:
    """The place of the only element is 0."""
    zero = arith.ConstantOp(IntegerAttr(0, i32))
    copy, fill = CopyOp(op.src, op.dst[0]), VBrcOp(zero.result, op.dst[1])
    results = [copy.results[0], fill.results[0]] if op.results else []
    replace(op, [zero, copy, fill], results)
    return True


def _drop_idle_starts(op: VReduceOp) -> bool:
    """A destination that was filled with what the reduction starts from anyway stays empty."""
    idle = [_is_filled(op.dst[0], op), *[_is_filled(place, None) for place in op.dst[1:]]]
    for number, target in enumerate(op.dst):
        if idle[number]:
            empty = tensor.EmptyOp([], target.type)
            insert_before(op, [empty])
            values = list(op.dst)
            values[number] = empty.tensor
            set_operands(op, "dst", values)
    return any(idle)


def _is_filled(value: SSAValue, reduction: VReduceOp | None) -> bool:
    """Whether a tensor holds one constant, that which the reduction starts from if given."""
    maker = value.owner
    if isinstance(value, BlockArgument) or not _is_tensor(value):
        return False
    if isinstance(maker, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        return _is_filled(maker.operands[0], reduction)
    if not isinstance(maker, VBrcOp) or not isinstance(maker.src.owner, arith.ConstantOp):
        return False
    number = maker.src.owner.value
    if reduction is None:
        return True
    is_number = isinstance(number, IntegerAttr | FloatAttr)
    return is_number and starts_neutral(reduction.arith.data, number)


@fold_hivm.register(VCumsumOp)
@fold_hivm.register(VCumprodOp)
def _fold_running(op: VCumsumOp | VCumprodOp) -> bool:
    dims = dims_of(op.cum_dims)
    kept = _wide(op.src, dims)
    if len(kept) == len(dims):
        return False
    if not kept:
        return _becomes_copy(op, op.src, op.dst)
    op.cum_dims = _array(kept)
    return True


@fold_hivm.register
def _fold_transposed(op: VTransposeOp) -> bool:
    """Exchanges that cancel each other, however many."""
    if drop_unread(op):
        return True
    order = list(range(len(dims_of(op.permutation))))
    first: Operation = op
    while isinstance(first, VTransposeOp) and first.results:
        # What stood at place i of the source stands at the place that lists i.
        moved = dims_of(first.permutation)
        order = [moved[place] for place in order]
        if order == sorted(order):
            replace(op, [], [first.src])
            return True
        if not isinstance(first.src.owner, Operation):
            return False
        first = first.src.owner
    return False


@fold_hivm.register
def _fold_padding(op: VPadOp) -> bool:
    """A load of one dimension pads on its way."""
    load = op.src.owner
    if not isinstance(load, LoadOp) or load.pad_mode is not None or not op.results:
        return False
    if len(_extents(op.results[0])) != 1:
        return False
    padded = LoadOp(load.src, op.dst)
    padded.properties["pad_mode"] = PadModeAttr("PadValue")
    set_operands(padded, "pad_value", [op.pad_value])
    for side, name in (("low", "left_padding_num"), ("high", "right_padding_num")):
        amount = _amount(op, side)
        if amount is not None:
            set_operands(padded, name, [amount])
    replace(op, [padded])
    return True


def _amount(op: VPadOp, side: str) -> SSAValue | None:
    numbers = numbers_of(op, f"static_{side}")
    if not numbers:
        return None
    if numbers[0] == DYNAMIC_INDEX:
        return op.values(side)[0]
    known = arith.ConstantOp(IntegerAttr(numbers[0], IndexType()))
    insert_before(op, [known])
    return known.result


@fold_hivm.register
def _fold_assertion(op: DebugOp) -> bool:
    """An assertion that holds."""
    holds = op.arg.type == i1 and constant_of(op.arg) == 1
    if op.debugtype.data != "assert" or not holds:
        return False
    op.detach()
    op.erase()
    return True


def _drop_idle_spreading(op: PipeOp) -> bool:
    """A dimension in which all tiles have the same extent is not broadcast."""
    dims = numbers_of(op, "broadcast")
    tiles = [_extents(value) for value in (*op.sources(), *op.destinations()) if _extents(value)]
    kept = [dim for dim in dims if not _same(tiles, dim)]
    if len(kept) == len(dims):
        return False
    op.properties["broadcast"] = _array(kept)
    return True


def _same(tiles: Sequence[Sequence[int]], dim: int) -> bool:
    extents = {shape[dim] for shape in tiles if dim < len(shape)}
    return len(extents) == 1 and DYNAMIC_INDEX not in extents
