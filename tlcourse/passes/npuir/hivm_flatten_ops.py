"""Pass hivm-flatten-ops: one long row instead of many short ones."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.dma import LoadOp
from tlcourse.dialects.hivm.sequences import VCumprodOp
from tlcourse.dialects.hivm.shapes import VConcatOp, VCumsumOp, VFlipOp, VPadOp, VTransposeOp
from tlcourse.dialects.hivm.vector import VBrcOp, VReduceOp, dims_of
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffers import kind_of, memref_kind
from tlcourse.passes.npuir.flattening import (
    ELEMENTWISE,
    Flattening,
    Groups,
    collapsed_type,
    flattening,
    numbers_of,
)
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.functions import DevicePass

_DIMS: dict[type[PipeOp], str] = {
    VBrcOp: "broadcast_dims",
    VReduceOp: "reduce_dims",
    VCumsumOp: "cum_dims",
    VCumprodOp: "cum_dims",
}
_AXIS: dict[type[PipeOp], str] = {VConcatOp: "dim", VFlipOp: "flip_axis"}
_SWAPPED = 2  # vtranspose exchanges two dimensions


@dataclass(frozen=True)
class HivmFlattenOpsPass(DevicePass):
    """Joins neighbouring dimensions that lie in one piece in all operands.

    ```
    vexp ins(%a : memref<64x128xf32, ub>) outs(%b : memref<64x128xf32, ub>)
      -->
    %c = memref.collapse_shape %a [[0, 1]] : .. into memref<8192xf32, ub>
    vexp ins(%c : memref<8192xf32, ub>) outs(%d : memref<8192xf32, ub>)
    ```

    Algorithm: dimensions of extent 1 go with their neighbour. Then i and i + 1 join when in
    every operand one step of i is as long as all of i + 1; a buffer without strides lies in
    one piece. Dimensions that the op names (broadcast, reduced, padded, ...) join only among
    themselves, and only where the op may name several. A transposed op joins what stays side
    by side. Each operand is seen through a `collapse_shape` of the joined groups.

    Differs from upstream: load, store and copy between different shapes stay as they are.
    """

    name = "hivm-flatten-ops"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, PipeOp) and not _pads_on_the_left(op):
                found = flattening(op)
                if found is not None and found.changes and _can_be_renamed(op, found):
                    _flatten(op, found)


def _pads_on_the_left(op: PipeOp) -> bool:
    """Whether a load leaves room in front, which a single long row has nowhere."""
    if not isinstance(op, LoadOp) or op.left_padding_num is None:
        return False
    target = op.dst.owner
    if isinstance(target, memref.SubviewOp) and dims_of(target.static_offsets)[-1] == 0:
        return False
    by = op.left_padding_num
    return not (isinstance(by.owner, arith.ConstantOp) and constant_of(by) == 0)


def _can_be_renamed(op: PipeOp, found: Flattening) -> bool:
    return not isinstance(op, VTransposeOp) or len(found.named) == _SWAPPED


def _flatten(op: PipeOp, found: Flattening) -> None:
    inits = set(op.destinations())
    last = {value: index for index, value in enumerate(op.operands)}
    flat: dict[SSAValue, SSAValue] = {}
    for value in sorted(last, key=lambda value: last[value]):
        kind = memref_kind(value)
        groups = found.inits if value in inits else found.inputs
        if kind is not None and len(kind.get_shape()) == sum(map(len, groups)):
            flat[value] = _collapsed(op, value, groups)
    op.operands = [flat.get(value, value) for value in op.operands]
    op.properties.update(_renamed(op, found))


def _renamed(op: PipeOp, found: Flattening) -> dict[str, Attribute]:
    """The properties of the op that name dimensions, counted anew."""
    if isinstance(op, ELEMENTWISE):
        name = "broadcast" if numbers_of(op, "broadcast") else "transpose"
        return {name: _array(found.named)} if found.before else {}
    if type(op) in _DIMS:
        return {_DIMS[type(op)]: _array(found.named)}
    if type(op) in _AXIS:
        return {_AXIS[type(op)]: IntegerAttr(found.named[0], i64)}
    if isinstance(op, VTransposeOp):
        order = list(range(len(found.inputs)))
        one, other = found.named
        order[one], order[other] = other, one
        return {"permutation": _array(order)}
    if isinstance(op, VPadOp):
        return {name: _paddings(op, name, found) for name in ("static_low", "static_high")}
    return {}


def _paddings(op: PipeOp, name: str, found: Flattening) -> DenseArrayBase:
    before = numbers_of(op, name)
    after = [0] * len(found.inputs)
    for old, new in zip(found.before, found.named, strict=True):
        after[new] = before[old]
    return _array(after)


def _array(numbers: list[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, numbers)


def _collapsed(op: PipeOp, value: SSAValue, groups: Groups) -> SSAValue:
    view = memref.CollapseShapeOp(
        operands=[value],
        result_types=[collapsed_type(kind_of(value), groups)],
        properties={
            "reassociation": ArrayAttr(
                ArrayAttr(IntegerAttr(dim, i64) for dim in group) for group in groups
            )
        },
    )
    view.result.name_hint = f"{value.name_hint}_flat" if value.name_hint else None
    insert_before(op, [view])
    return view.result
