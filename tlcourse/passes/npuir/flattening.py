"""Which neighbouring dimensions of an op's operands can become one, and what its dims are then.

Everything is told in groups: `[[0, 1], [2]]` joins the first two of three dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Operation

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.choices import VCmpOp, VShROp
from tlcourse.dialects.hivm.dma import CopyOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.sequences import VCumprodOp, VMulextendedOp
from tlcourse.dialects.hivm.shapes import (
    VConcatOp,
    VCumsumOp,
    VDeinterleaveOp,
    VFlipOp,
    VGatherOp,
    VInterleaveOp,
    VPadOp,
    VTransposeOp,
)
from tlcourse.dialects.hivm.vector import ElementwiseOp, VBrcOp, VCastOp, VReduceOp, dims_of
from tlcourse.passes.npuir.buffers import memref_kind

Groups = list[list[int]]

MOVES = (LoadOp, StoreOp, CopyOp)
ELEMENTWISE = (ElementwiseOp, VCastOp, VCmpOp, VShROp, VMulextendedOp)
# Ops in which several dimensions that they name may become one.
_JOINS_NAMED = (*ELEMENTWISE, VBrcOp, VReduceOp)


@dataclass(frozen=True, kw_only=True)
class Flattening:
    """How an op is flattened.

    Args:
        inputs: the groups of what the op reads.
        inits: the groups of what it writes; they differ only where an op transposes.
        named: the dimensions that the op names, counted after flattening.
        before: the same dimensions counted before.
    """

    inputs: Groups
    inits: Groups
    named: list[int]
    before: list[int]

    @property
    def changes(self) -> bool:
        """Whether any dimensions are joined."""
        return len(self.inputs) != sum(map(len, self.inputs))


def flattening(op: PipeOp) -> Flattening | None:
    """How the op is flattened; None where it is not known to be the same op afterwards."""
    kinds = kinds_of(op)
    if not kinds or any(not _understood(kind, kinds[0]) for kind in kinds):
        return None
    if isinstance(op, MOVES) and any(k.get_shape() != kinds[0].get_shape() for k in kinds):
        return None
    if isinstance(op, ELEMENTWISE):
        order = numbers_of(op, "transpose")
        if order and not numbers_of(op, "broadcast"):
            return _transposed(op, order)
        return _uniform(op, kinds, numbers_of(op, "broadcast"))
    named = next((find(op) for kind, find in _NAMED.items() if isinstance(op, kind)), None)
    return None if named is None else _uniform(op, kinds, named)


def kinds_of(op: PipeOp) -> list[MemRefType]:
    """The types of the buffers that an op reads and writes, scratch left out."""
    values = [*op.sources(), *op.destinations()]
    return [kind for value in values if (kind := memref_kind(value)) is not None]


def numbers_of(op: Operation, name: str) -> list[int]:
    """The numbers of an array property; none where the op lacks it."""
    array = op.properties.get(name)
    return dims_of(cast("DenseArrayBase", array)) if isinstance(array, DenseArrayBase) else []


def _number(op: Operation, name: str) -> list[int]:
    number = op.properties[name]
    assert isinstance(number, IntegerAttr)
    return [number.value.data]


def _moved(op: Operation) -> list[int]:
    order = numbers_of(op, "permutation")
    return [dim for dim, source in enumerate(order) if dim != source]


def _padded(op: Operation) -> list[int]:
    ends = zip(numbers_of(op, "static_low"), numbers_of(op, "static_high"), strict=True)
    return [dim for dim, both in enumerate(ends) if any(both)]


def _last(op: Operation) -> list[int]:
    kind = memref_kind(op.operands[0])
    return [] if kind is None else [len(kind.get_shape()) - 1]


# The dimensions that an op names; they must stay apart from the others.
_NAMED: dict[type[Operation], Callable[[Operation], list[int]]] = {
    VBrcOp: lambda op: numbers_of(op, "broadcast_dims"),
    VReduceOp: lambda op: numbers_of(op, "reduce_dims"),
    VCumsumOp: lambda op: numbers_of(op, "cum_dims"),
    VCumprodOp: lambda op: numbers_of(op, "cum_dims"),
    VTransposeOp: _moved,
    VPadOp: _padded,
    VConcatOp: lambda op: _number(op, "dim"),
    VFlipOp: lambda op: _number(op, "flip_axis"),
    VGatherOp: _last,
    VInterleaveOp: lambda op: [],
    VDeinterleaveOp: lambda op: [],
    LoadOp: lambda op: [],
    StoreOp: lambda op: [],
    CopyOp: lambda op: [],
}


def _understood(kind: MemRefType, first: MemRefType) -> bool:
    known = isinstance(kind.layout, NoneAttr | StridedLayoutAttr)
    return known and len(kind.get_shape()) == len(first.get_shape()) > 0


def _uniform(op: PipeOp, kinds: Sequence[MemRefType], named: list[int]) -> Flattening:
    rank = len(kinds[0].get_shape())
    units = [
        dim not in named and all(kind.get_shape()[dim] == 1 for kind in kinds)
        for dim in range(rank)
    ]
    squeezed = _without_units(units)
    kinds = [collapsed_type(kind, squeezed) for kind in kinds]
    middle = _positions(named, squeezed)
    together = _same_in_all_inputs(op, squeezed) if named and isinstance(op, ELEMENTWISE) else None
    groups: Groups = []
    for dim in range(len(squeezed)):
        apart = dim == 0 or (dim - 1 in middle) != (dim in middle)
        apart = apart or (dim in middle and not isinstance(op, _JOINS_NAMED))
        apart = apart or not all(_joins(kind, dim) for kind in kinds)
        apart = apart or (together is not None and not (together[dim - 1] and together[dim]))
        if apart:
            groups.append([])
        groups[-1].append(dim)
    whole = _composed(squeezed, groups)
    return Flattening(inputs=whole, inits=whole, named=_positions(middle, groups), before=named)


def _same_in_all_inputs(op: PipeOp, squeezed: Groups) -> list[bool]:
    read = [kind for value in op.sources() if (kind := memref_kind(value)) is not None]
    shapes = [collapsed_type(kind, squeezed).get_shape() for kind in read]
    return [len(set(extents)) == 1 for extents in zip(*shapes, strict=True)]


def _without_units(units: Sequence[bool]) -> Groups:
    """Groups in which each dimension of extent 1 goes with the one before it, else after it."""
    groups: Groups = [[]]
    for dim, unit in enumerate(units):
        if not unit and not all(units[other] for other in groups[-1]):
            groups.append([])
        groups[-1].append(dim)
    return groups


def _joins(kind: MemRefType, dim: int) -> bool:
    """Whether a dimension lies in one piece with the one before it."""
    if dim == 0 or isinstance(kind.layout, NoneAttr):
        return True
    strides = kind.get_strides()
    extent = kind.get_shape()[dim]
    if strides is None or extent == DYNAMIC_INDEX:
        return False
    outer, inner = strides[dim - 1], strides[dim]
    return outer is not None and inner is not None and outer == inner * extent


def _positions(dims: Sequence[int], groups: Groups) -> list[int]:
    """The groups that hold some dimensions, in order of the dimensions, each once."""
    where = {dim: number for number, group in enumerate(groups) for dim in group}
    return list(dict.fromkeys(where[dim] for dim in dims))


def _composed(first: Groups, second: Groups) -> Groups:
    return [[dim for part in group for dim in first[part]] for group in second]


def _transposed(op: PipeOp, order: list[int]) -> Flattening:
    """Joins dimensions that stay side by side on their way from the inputs to the output."""
    read = [kind for value in op.sources() if (kind := memref_kind(value)) is not None]
    written = [kind for value in op.destinations() if (kind := memref_kind(value)) is not None]
    from_units, to_units = _units_before_last(read[0]), _units_before_last(written[0])
    squeezed_in, squeezed_out = _without_units(from_units), _without_units(to_units)
    read = [collapsed_type(kind, squeezed_in) for kind in read]
    written = [collapsed_type(kind, squeezed_out) for kind in written]
    kept = _ranked([dim for dim in order if not from_units[dim]])
    place = {dim: position for position, dim in enumerate(kept)}
    groups: Groups = []
    for dim in range(len(kept)):
        apart = dim == 0 or place[dim - 1] + 1 != place[dim]
        apart = apart or not all(_joins(kind, dim) for kind in read)
        apart = apart or not all(_joins(kind, place[dim]) for kind in written)
        if apart:
            groups.append([])
        groups[-1].append(dim)
    arrived = sorted(groups, key=lambda group: place[group[0]])
    targets = [[place[dim] for dim in group] for group in arrived]
    return Flattening(
        inputs=_composed(squeezed_in, groups),
        inits=_composed(squeezed_out, targets),
        named=_ranked([group[0] for group in arrived]),
        before=order,
    )


def _units_before_last(kind: MemRefType) -> list[bool]:
    shape = kind.get_shape()
    return [extent == 1 for extent in shape[:-1]] + [False]


def _ranked(numbers: Sequence[int]) -> list[int]:
    """The numbers counted anew without gaps, in the same order: 4, 1, 6 becomes 1, 0, 2."""
    ranks = {number: rank for rank, number in enumerate(sorted(numbers))}
    return [ranks[number] for number in numbers]


def collapsed_type(kind: MemRefType, groups: Groups) -> MemRefType:
    """The type of a buffer seen in groups of its dimensions."""
    shape = kind.get_shape()
    extents = [_product([shape[dim] for dim in group]) for group in groups]
    layout = kind.layout
    if isinstance(layout, StridedLayoutAttr):
        strides = [_stride(kind, group) for group in groups]
        layout = StridedLayoutAttr(strides, kind.get_offset())
    return MemRefType(kind.element_type, extents, layout, kind.memory_space)


def _product(extents: Sequence[int]) -> int:
    return DYNAMIC_INDEX if DYNAMIC_INDEX in extents else math.prod(extents)


def _stride(kind: MemRefType, group: Sequence[int]) -> int | None:
    """The step of a group: that of its last dimension which has more than one element."""
    shape, strides = kind.get_shape(), kind.get_strides()
    assert strides is not None
    wide = [dim for dim in group if shape[dim] != 1] or [group[0]]
    return strides[wide[-1]]
