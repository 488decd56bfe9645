"""Parts of buffers: which dimensions take part, and their views as memrefs or tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from tlcourse.codegen.writer import Index, Writer
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.memref import type_of


@dataclass(frozen=True, kw_only=True)
class Part:
    """A rectangular part of a buffer.

    Args:
        buffer: the buffer in Tile IR.
        offsets: where it starts, one per dimension of the buffer.
        sizes: how far it reaches.
        whole: whether it is known to be the whole buffer.
    """

    buffer: SSAValue
    offsets: tuple[Index, ...]
    sizes: tuple[Index, ...]
    whole: bool

    @property
    def scope(self) -> str:
        """The buffer's scope."""
        return tl.scope_of(self.buffer)

    @property
    def element(self) -> Attribute:
        """The element type."""
        return type_of(self.buffer).element_type

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes with `DYNAMIC_INDEX` where only the run time knows."""
        return static_shape(self.sizes)

    @property
    def starts_at_origin(self) -> bool:
        """Whether all offsets are 0."""
        return all(offset == 0 for offset in self.offsets)

    def backbone(self) -> tuple[int, ...]:
        """The dimensions whose size is not 1; the last one where all are."""
        kept = tuple(dim for dim, size in enumerate(self.sizes) if size != 1)
        return kept or (len(self.sizes) - 1,)


def static_shape(sizes: Sequence[Index]) -> tuple[int, ...]:
    """Sizes as a shape; `DYNAMIC_INDEX` stands for those of the run time."""
    return tuple(size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes)


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of a value that is a tensor."""
    assert isinstance(value.type, TensorType)
    return cast(TensorType[Attribute], value.type)


def base_of(value: SSAValue) -> SSAValue:
    """The buffer behind a tile operand."""
    return value.owner.buffer if isinstance(value.owner, tl.RegionOp) else value


def name_of(value: SSAValue) -> str:
    """The learner's name of the buffer behind a tile operand."""
    buffer = base_of(value)
    if isinstance(buffer.owner, tl.AllocOp):
        return buffer.owner.label.data
    if isinstance(buffer, BlockArgument):
        function = buffer.owner.parent_op()
        if isinstance(function, FuncOp) and function.arg_attrs:
            name = function.arg_attrs.data[buffer.index].data.get("tl.name")
            if isinstance(name, StringAttr):
                return name.data
    return buffer.name_hint or "the buffer"


def part_of(writer: Writer, value: SSAValue) -> Part:
    """The part of a buffer that a tile operand names; its offsets are written here."""
    region = value.owner
    if not isinstance(region, tl.RegionOp):
        sizes = _shape_of(writer, value)
        return Part(buffer=value, offsets=(0,) * len(sizes), sizes=sizes, whole=True)
    offsets = tuple(writer.index(offset) for offset in region.offsets)
    sizes = tuple(
        extent if isinstance(extent, int) else writer.index(extent) for extent in region.extents()
    )
    shape = _shape_of(writer, region.buffer)
    whole = all(offset == 0 for offset in offsets) and sizes == shape
    return Part(buffer=region.buffer, offsets=offsets, sizes=sizes, whole=whole)


def _shape_of(writer: Writer, buffer: SSAValue) -> tuple[Index, ...]:
    if buffer in writer.shapes:
        return writer.shapes[buffer]
    return tuple(type_of(buffer).get_shape())


def matching_dims(
    writer: Writer, statement: Operation, left: Part, right: Part
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions of two parts that belong together; dimensions of size 1 may be missing.

    Raises:
        TL123: the other dimensions differ in number or size.
    """
    everything = tuple(range(len(left.sizes)))
    if len(left.sizes) == len(right.sizes) and _agree(left.shape, right.shape):
        return everything, everything
    dims = left.backbone(), right.backbone()
    shapes = [tuple(part.shape[d] for d in kept) for part, kept in zip((left, right), dims)]
    if _agree(*shapes):
        return dims
    raise writer.error(
        "TL123",
        f"The two sides have different extents: {_words(left)} and {_words(right)}",
        statement,
        why="a copy moves element by element; after dimensions of extent 1 are left out, both "
        "sides need the same number of dimensions and the same extents in the same order",
        fix=f"slice {name_of(left.buffer)} or {name_of(right.buffer)} so that the extents agree",
    )


def with_known_sizes(
    part: Part, dims: Sequence[int], other: Part, other_dims: Sequence[int]
) -> Part:
    """The part with the sizes that its partner knows, as both sides of a copy agree."""
    sizes = list(part.sizes)
    for dim, there in zip(dims, other_dims, strict=True):
        known = other.sizes[there]
        if not isinstance(sizes[dim], int) and isinstance(known, int):
            sizes[dim] = known
    same = tuple(sizes) == part.sizes
    return replace(part, sizes=tuple(sizes), whole=part.whole and same)


def _agree(left: Sequence[int], right: Sequence[int]) -> bool:
    pairs = zip(left, right, strict=False)
    return len(left) == len(right) and all(a == b or DYNAMIC_INDEX in (a, b) for a, b in pairs)


def _words(part: Part) -> str:
    extents = ", ".join("?" if size == DYNAMIC_INDEX else str(size) for size in part.shape)
    return f"{name_of(part.buffer)} [{extents}]"


def subview(writer: Writer, base: SSAValue, part: Part, dims: Sequence[int]) -> SSAValue:
    """The part as a memref that keeps only `dims`; the base itself where that is all of it."""
    rank = len(part.sizes)
    if part.whole and len(dims) == rank:
        return base
    kind = type_of(base)
    ones = [1] * rank
    full = memref.SubviewOp.infer_result_type(kind, part.offsets, part.sizes, ones)
    strides = full.get_strides()
    assert strides is not None
    result = MemRefType(
        kind.element_type,
        [full.get_shape()[d] for d in dims],
        StridedLayoutAttr([strides[d] for d in dims], full.get_offset()),
        kind.memory_space,
    )
    op = memref.SubviewOp.get(base, part.offsets, part.sizes, ones, result)
    return writer.add(op).result


def extract(writer: Writer, base: SSAValue, part: Part, dims: Sequence[int]) -> SSAValue:
    """The part as a tensor that keeps only `dims`; the base itself where that is all of it."""
    if part.whole and len(dims) == len(part.sizes):
        return base
    element = tensor_type(base).get_element_type()
    result = TensorType(element, [part.shape[d] for d in dims])
    ones = [1] * len(part.sizes)
    return writer.add(tensor.ExtractSliceOp(base, part.offsets, part.sizes, ones, result)).result


def insert(
    writer: Writer, value: SSAValue, base: SSAValue, part: Part, dims: Sequence[int]
) -> SSAValue:
    """The base with the part replaced by a tensor that has only `dims`.

    The real compiler takes a part of the base, with all its dimensions, for the destination of
    the op that made the tensor; the ops of the vector unit refuse another rank than that of
    their sources. So the tensor gets the missing dimensions first.
    """
    if part.whole and len(dims) == len(part.sizes):
        return value
    value = _with_all_dims(writer, value, part, dims)
    offsets, offset_values = split_dynamic_index_list(part.offsets, DYNAMIC_INDEX)
    sizes, size_values = split_dynamic_index_list(part.sizes, DYNAMIC_INDEX)
    properties = {
        "static_offsets": DenseArrayBase.from_list(i64, offsets),
        "static_sizes": DenseArrayBase.from_list(i64, sizes),
        "static_strides": DenseArrayBase.from_list(i64, [1] * len(sizes)),
    }
    return writer.add(
        tensor.InsertSliceOp.build(
            operands=[value, base, offset_values, size_values, []],
            result_types=[base.type],
            properties=properties,
        )
    ).result


def _with_all_dims(writer: Writer, value: SSAValue, part: Part, dims: Sequence[int]) -> SSAValue:
    """The tensor with the dimensions of extent 1 that it lacks."""
    is_complete = len(dims) == len(part.sizes)
    is_open = DYNAMIC_INDEX in part.shape  # which the real compiler does not take apart
    if is_complete or is_open or not dims or not isinstance(value.owner, PipeOp):
        return value
    groups: list[list[int]] = [[] for _ in dims]
    for dim in range(len(part.sizes)):
        owner = max((at for at, kept in enumerate(dims) if kept <= dim), default=0)
        groups[owner].append(dim)
    wide = TensorType(tensor_type(value).get_element_type(), part.shape)
    maps = ArrayAttr([ArrayAttr([IntegerAttr(dim, i64) for dim in group]) for group in groups])
    return writer.add(tensor.ExpandShapeOp(value, [], maps, part.shape, wide)).result
