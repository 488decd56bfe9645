"""hivm-bind-sub-block: the vector work of a block is shared by its two vector cores.

```
%x = load ins(%w) .. tensor<128x256>          %s = get_sub_block_idx
%y = vexp ins(%x) ..                   -->    %x = load ins(%w[%s * 64, 0] [64, 256]) ..
store ins(%y) outs(%gm)                       %y = vexp ins(%x) ..  : tensor<64x256>
                                              store ins(%y) outs(%gm[%s * 64, 0] [64, 256])
```

One dimension of the tiles is cut in two: the first that every op of the function treats
point by point (not reduced, not sliced elsewhere) and that is even. Each vector core loads,
computes and stores its half; where a tile ends early, a half may be shorter or empty. If no
dimension serves, both vector cores compute everything and only the first one stores.

Differs from upstream: the real pass cuts the stores and lets the cut bubble upwards through
the ops; this one changes all tiles at once, to the same effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.core import DebugOp, GetSubBlockIdxOp
from tlcourse.dialects.hivm.dma import LoadOp, StoreOp
from tlcourse.dialects.hivm.shapes import (
    VArangeOp,
    VConcatOp,
    VCumsumOp,
    VFlipOp,
    VPadOp,
    VTransposeOp,
)
from tlcourse.dialects.hivm.vector import VReduceOp, dims_of
from tlcourse.dialects.memref import subview, type_of
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.rewriting import insert_at_start, insert_before
from tlcourse.passes.npuir.buffers import box_of
from tlcourse.passes.npuir.cube_vector import device_functions, tensor_type

_HALVES = 2
# Said of a branch that only the first vector core takes.
_FIRST_ONLY = "limit_sub_block_id0"
_SLICES = (tensor.ExtractSliceOp, tensor.InsertSliceOp)


@dataclass(frozen=True)
class HivmBindSubBlockPass(ModulePass):
    """Splits the vector functions of mixed kernels over the two vector cores."""

    name = "hivm-bind-sub-block"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in device_functions(op, "AIV"):
            if "hivm.part_of_mix" in function.attributes:
                _bind(function)


def _bind(function: func.FuncOp) -> None:
    for dim in range(2):
        if _can_cut(function, dim):
            _Cutter(function, dim).cut()
            return
    _store_once(function)


def _tiles(function: func.FuncOp) -> list[SSAValue]:
    """All tensors made in the function but those that stand for a whole workspace buffer."""
    found: list[SSAValue] = []
    for op in [inner for inner in function.walk() if inner is not function]:
        values: list[SSAValue] = list(op.results)
        for region in op.regions:
            values += [argument for block in region.blocks for argument in block.args]
        found += [value for value in values if isinstance(value.type, TensorType)]
    return [value for value in found if not _is_workspace(value)]


def _is_workspace(value: SSAValue) -> bool:
    tile = value.owner
    if not isinstance(tile, ToTensorOp):
        return False
    return tile.writable is not None or isinstance(tile.memref.owner, AllocWorkspaceOp)


def _stack_shapes(function: func.FuncOp) -> frozenset[tuple[int, ...]]:
    """Shapes of tensors that hold several tiles one behind the other, see cv-pipelining."""
    slices = [op for op in function.walk() if isinstance(op, _SLICES) and _takes_one(op)]
    return frozenset(_shape(_whole(op)) for op in slices if not _is_workspace(_whole(op)))


def _takes_one(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> bool:
    """Whether a slice is one tile of a stack: its first dimension is dropped."""
    part = op.result if isinstance(op, tensor.ExtractSliceOp) else op.source
    sizes = op.static_sizes.get_values()
    return tuple(sizes[1:]) == _shape(part) and sizes[0] == 1


def _whole(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> SSAValue:
    return op.source if isinstance(op, tensor.ExtractSliceOp) else op.dest


def _can_cut(function: func.FuncOp, dim: int) -> bool:
    if any(isinstance(one.type, TensorType) and one.uses for one in function.body.block.args):
        return False  # the caller hands over whole tiles
    stacks = _stack_shapes(function)
    shapes = [_shape(value) for value in _tiles(function)]
    shapes = [shape[1:] if shape in stacks else shape for shape in shapes]
    fits = all(len(shape) > dim and _is_cuttable(shape[dim]) for shape in shapes)
    some = any(len(shape) > dim and shape[dim] != 1 for shape in shapes)
    return fits and some and all(_lets_cut(op, dim) for op in function.walk())


def _is_cuttable(extent: int) -> bool:
    return extent == 1 or extent == DYNAMIC_INDEX or extent % _HALVES == 0


def _lets_cut(op: Operation, dim: int) -> bool:
    match op:
        case VReduceOp():
            return dim not in dims_of(op.reduce_dims) or _shape(op.src)[dim] == 1
        case tensor.ExtractSliceOp() | tensor.InsertSliceOp():
            at = dim + _takes_one(op)
            return int(op.static_offsets.get_values()[at]) == 0
        case tensor.ExtractOp() | tensor.InsertOp() | DebugOp():
            return False
        case VCumsumOp():
            return dim not in dims_of(op.cum_dims)
        case VFlipOp():
            return dim != op.flip_axis.value.data
        case VConcatOp():
            return dim != op.dim.value.data
        case VTransposeOp() | VPadOp():
            return False
        case tensor.CollapseShapeOp() | tensor.ExpandShapeOp():
            return False
        case LoadOp() | StoreOp():
            return _same_rank(op.src, op.dst) and _uncut_extent(op, dim) != DYNAMIC_INDEX
        case _:
            return True


def _uncut_extent(move: LoadOp | StoreOp, dim: int) -> int:
    """The extent of the tile that a move fills or empties, a part of it counting as the whole."""
    tile = move.dst if isinstance(move, LoadOp) else move.src
    owner = tile.owner
    if isinstance(owner, (memref.SubviewOp, tensor.ExtractSliceOp)):
        return _shape(owner.source)[dim]
    return _shape(tile)[dim]


def _same_rank(first: SSAValue, second: SSAValue) -> bool:
    return len(_shape(first)) == len(_shape(second))


def _shape(value: SSAValue) -> tuple[int, ...]:
    kind = value.type
    assert isinstance(kind, (TensorType, MemRefType))
    return kind.get_shape()


class _Cutter:
    """Cuts one dimension of all tiles of a function in two."""

    def __init__(self, function: func.FuncOp, dim: int) -> None:
        self.function = function
        self.dim = dim
        self.half: dict[int, SSAValue] = {}
        self.stacks = _stack_shapes(function)
        self.taken = {op for op in function.walk() if isinstance(op, _SLICES) and _takes_one(op)}
        sub = GetSubBlockIdxOp()
        self.index = arith.IndexCastOp(sub.result, IndexType())
        insert_at_start(function.body.block, [sub, self.index], like=function)

    def cut(self) -> None:
        moves = [op for op in self.function.walk() if isinstance(op, (LoadOp, StoreOp))]
        slices = [op for op in self.function.walk() if isinstance(op, tensor.ExtractSliceOp)]
        inserts = [op for op in self.function.walk() if isinstance(op, tensor.InsertSliceOp)]
        counts = [op for op in self.function.walk() if isinstance(op, VArangeOp)]
        counts = [op for op in counts if _shape(op.dst)[self.dim] != 1]
        extents = {id(move): _uncut_extent(move, self.dim) for move in moves}
        # Looked up before halving: an extent of 2 becomes 1, which is no extent of 1.
        cut = [part for part in (*slices, *inserts) if self._is_cut(part)]
        for value in _tiles(self.function):
            self._halve(value)
        for move in moves:
            self._cut_move(move, extents[id(move)])
        for part in cut:
            self._cut_slice(part)
        for count in counts:
            self._start_later(count)

    def _start_later(self, op: VArangeOp) -> None:
        """A half counts on from where the one before it ends."""
        half = self._offset(_shape(op.dst)[self.dim])
        steps = arith.MuliOp(half, op.strides[self.dim])
        given = op.values("offset")
        start = arith.AddiOp(given[0], steps.result) if given else steps
        fresh = VArangeOp(op.dst, start.result, op.strides)
        insert_before(op, [steps, *([start] if given else []), fresh])
        for old, new in zip(op.result, fresh.result, strict=True):
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()

    def _is_cut(self, op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> bool:
        whole = _whole(op)
        return not _is_workspace(whole) and _shape(whole)[self._dim_in(op)] != 1

    def _dim_in(self, op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> int:
        return self.dim + (op in self.taken)

    def _halve(self, value: SSAValue) -> None:
        kind = tensor_type(value)
        if isinstance(value.owner, (tensor.ExtractSliceOp,)):
            return
        Rewriter.replace_value_with_new_type(
            value, TensorType(kind.element_type, self._halved(kind.get_shape()))
        )

    def _halved(self, shape: Sequence[int]) -> list[int]:
        dim = self.dim + (tuple(shape) in self.stacks)
        return [
            extent // _HALVES if index == dim and extent > 1 else extent
            for index, extent in enumerate(shape)
        ]

    def _cut_move(self, move: LoadOp | StoreOp, extent: int) -> None:
        if extent == 1:
            return
        half = extent // _HALVES
        tile_side, far_side = (1, 0) if isinstance(move, LoadOp) else (0, 1)
        if isinstance(move.operands[tile_side].type, MemRefType):
            self._cut_buffer(move, tile_side, half)
        far = move.operands[far_side]
        if isinstance(far.type, TensorType):
            move.operands[far_side] = self._workspace_half(far, half, move)
            return
        move.operands[far_side] = self._memref_half(far, half, move)

    def _cut_buffer(self, load: LoadOp | StoreOp, side: int, half: int) -> None:
        """Halves the buffer that a load fills, and the part of it that a short tile fills."""
        tile = load.operands[side]
        part = tile.owner if isinstance(tile.owner, memref.SubviewOp) else None
        buffer = part.source if part is not None else tile
        kind = type_of(buffer)
        if kind.get_shape()[self.dim] != half:
            typed = MemRefType(
                kind.element_type, self._halved(kind.get_shape()), kind.layout, kind.memory_space
            )
            buffer = Rewriter.replace_value_with_new_type(buffer, typed)
        if part is not None:
            offsets, sizes = box_of(part)
            sizes[self.dim] = self._short(sizes[self.dim], half, load)
            fresh = subview(buffer, offsets, sizes)
            insert_before(load, [fresh])
            load.operands[side] = fresh.result
            for use in [use for use in tile.uses if isinstance(use.operation, ToTensorOp)]:
                use.operation.operands[use.index] = fresh.result

    def _workspace_half(self, value: SSAValue, half: int, move: Operation) -> SSAValue:
        shape = _shape(value)
        offsets: list[int | SSAValue] = [0] * len(shape)
        offsets[self.dim] = self._offset(half)
        sizes: list[int | SSAValue] = list(shape)
        if isinstance(value.owner, tensor.ExtractSliceOp):
            sizes = _kept(box_of(value.owner)[1], shape)
        sizes[self.dim] = self._short(sizes[self.dim], half, move)
        extents = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
        kind = TensorType(tensor_type(value).element_type, extents)
        part = tensor.ExtractSliceOp(value, offsets, sizes, [1] * len(shape), kind)
        insert_before(move, [part])
        return part.result

    def _memref_half(self, value: SSAValue, half: int, move: Operation) -> SSAValue:
        shape = _shape(value)
        sizes: list[int | SSAValue] = list(shape)
        if isinstance(value.owner, memref.SubviewOp):
            sizes = _kept(box_of(value.owner)[1], shape)
        offsets: list[int | SSAValue] = [0] * len(shape)
        offsets[self.dim] = self._offset(half)
        sizes[self.dim] = self._short(sizes[self.dim], half, move)
        part = subview(value, offsets, sizes)
        insert_before(move, [part])
        return part.result

    def _cut_slice(self, op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> None:
        """A short tile: each half holds what lies in it."""
        dim = self._dim_in(op)
        half = _shape(_whole(op))[dim]
        offsets, sizes = box_of(op)
        sizes[dim] = self._short(sizes[dim], half, op)
        fresh = _with_box(op, offsets, sizes)
        insert_before(op, [fresh])
        op.results[0].replace_all_uses_with(fresh.results[0])
        op.detach()
        op.erase()

    def _offset(self, half: int) -> SSAValue:
        """The first index of this vector core's half."""
        if half not in self.half:
            size = arith.ConstantOp(IntegerAttr(half, IndexType()))
            start = arith.MuliOp(self.index.result, size.result)
            block: Block = self.function.body.block
            block.insert_ops_after([size, start], self.index)
            self.half[half] = start.result
        return self.half[half]

    def _short(self, size: int | SSAValue, half: int, before: Operation) -> int | SSAValue:
        """How much of a tile of `size` lies in this half: min(max(size - offset, 0), half)."""
        if size == half * _HALVES:
            return half
        new_ops: list[Operation] = []
        if isinstance(size, int):
            constant = arith.ConstantOp(IntegerAttr(size, IndexType()))
            new_ops.append(constant)
            size = constant.result
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        limit = arith.ConstantOp(IntegerAttr(half, IndexType()))
        rest = arith.SubiOp(size, self._offset(half))
        floor = arith.MaxSIOp(rest.result, zero.result)
        short = arith.MinSIOp(floor.result, limit.result)
        insert_before(before, [*new_ops, zero, limit, rest, floor, short])
        return short.result


def _kept(sizes: Sequence[int | SSAValue], shape: Sequence[int]) -> list[int | SSAValue]:
    """The sizes of the dimensions that a part still has; those dropped have the size 1."""
    kept: list[int | SSAValue] = []
    surplus = len(sizes) - len(shape)
    for size in sizes:
        if surplus and size == 1 and (len(kept) == len(shape) or shape[len(kept)] != 1):
            surplus -= 1
        else:
            kept.append(size)
    return kept


def _with_box(
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp,
    offsets: Sequence[int | SSAValue],
    sizes: Sequence[int | SSAValue],
) -> tensor.ExtractSliceOp | tensor.InsertSliceOp:
    """The same slice op with other offsets and sizes."""
    if isinstance(op, tensor.ExtractSliceOp):
        shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
        dropped = len(shape) - len(_shape(op.result))
        kind = TensorType(op.result.type.element_type, shape[dropped:])
        return tensor.ExtractSliceOp(op.source, offsets, sizes, [1] * len(sizes), kind)
    static_offsets, dynamic_offsets = split_dynamic_index_list(offsets, DYNAMIC_INDEX)
    static_sizes, dynamic_sizes = split_dynamic_index_list(sizes, DYNAMIC_INDEX)
    return tensor.InsertSliceOp.build(
        operands=[op.source, op.dest, dynamic_offsets, dynamic_sizes, []],
        result_types=[op.dest.type],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, static_offsets),
            "static_sizes": DenseArrayBase.from_list(i64, static_sizes),
            "static_strides": op.static_strides,
        },
    )


def _store_once(function: func.FuncOp) -> None:
    """Lets only the first vector core store; both compute."""
    stores = [op for op in function.walk() if isinstance(op, StoreOp)]
    sub = GetSubBlockIdxOp()
    zero = arith.ConstantOp(IntegerAttr(0, i64))
    first = arith.CmpiOp(sub.result, zero.result, "eq")
    insert_at_start(function.body.block, [sub, zero, first], like=function)
    for store in stores:
        body = Block()
        guarded = scf.IfOp(first.result, [], Region(body))
        guarded.attributes[_FIRST_ONLY] = UnitAttr()
        insert_before(store, [guarded])
        store.detach()
        body.add_ops([store, scf.YieldOp()])
