"""one-shot-bufferize: tensors become buffers, and each op writes where its result shall lie.

```
%e = tensor.empty() : tensor<..>              %b = memref.alloc() : memref<..>
%y = vexp ins(%x) outs(%e) -> tensor  -->     vexp ins(%bx) outs(%b)
```

An op that updates a tile works in place when nobody reads the old contents afterwards, else
in a fresh buffer. A load that only fills a part of a tile goes straight into that part. A
tile that a loop carries, or that an `if` yields, keeps one buffer: the
op that makes the next value writes into it where that is safe, otherwise a copy at the end
of the region does.

Differs from upstream: MLIR's analysis also looks for in-place chances across function calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, TensorType, i64
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.bufferization import ToMemrefOp, ToTensorOp
from tlcourse.dialects.hivm.base import DestinationOp
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.dma import CopyOp
from tlcourse.dialects.memref import subview
from tlcourse.dialects.rewriting import insert_before
from tlcourse.dialects.scope import ReturnOp as ScopeReturnOp
from tlcourse.dialects.scope import ScopeOp
from tlcourse.passes.npuir.borrowed import borrow, drop_unread, give_back, is_borrowed
from tlcourse.passes.npuir.buffer_lives import (
    is_needed_elsewhere,
    is_read_after,
    is_safe_target,
    updated,
)
from tlcourse.passes.npuir.buffers import box_of, is_contiguous, kind_of
from tlcourse.passes.npuir.carried import drop_tensor_results
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.filled_parts import load_into, only_load
from tlcourse.passes.npuir.partial_bufferize import bufferize_dialects, written_operands
from tlcourse.passes.npuir.structured import (
    bufferize_structured,
    close_border,
    constant_buffer,
    open_border,
    unknown_op,
)
from tlcourse.passes.npuir.tensor_shapes import Reshape, extents, reshaped


@dataclass(frozen=True)
class OneShotBufferizePass(ModulePass):
    """Replaces every tensor by a buffer.

    Args:
        bufferize_function_boundaries: tensors that functions take and return become buffers too.
        function_boundary_type_conversion: what upstream calls the layout of those buffers; here
            their elements always lie row after row, `identity-layout-map`.
        dialect_filter: dialects whose ops get buffers; all if left out. See `partial_bufferize`.
        copy_before_write: what is written gets a copy first; with `dialect_filter` it always does.
        unknown_type_conversion: the layout of tensors that stay tensors at a function's border;
            `identity-layout-map`, or nothing is known of it.
        allow_return_allocs_from_loops: a loop may yield a fresh buffer; here none ever does.
    """

    name = "one-shot-bufferize"
    bufferize_function_boundaries: bool = False
    function_boundary_type_conversion: str = "identity-layout-map"
    dialect_filter: tuple[str, ...] = ()
    copy_before_write: bool = False
    unknown_type_conversion: str = "fully-dynamic-layout-map"
    allow_return_allocs_from_loops: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            if not function.body.blocks:
                continue
            if self.dialect_filter:
                bufferize_dialects(function, self.dialect_filter)
            else:
                self._bufferize(function)

    def _bufferize(self, function: func.FuncOp) -> None:
        border = self.bufferize_function_boundaries
        identity = self.unknown_type_conversion == "identity-layout-map"
        work = _Bufferizer(
            buffers=open_border(function) if border else borrow(function, identity=identity)
        )
        work.block(function.body.block)
        (close_border if border else give_back)(function, work.buffer)
        work.retire()
        drop_tensor_results(function)
        drop_unread(function)


# Ops that hand tensors on; the op around them takes care of their operands.
_KEEPERS = (scf.YieldOp, func.ReturnOp, ScopeReturnOp)


def is_tensor(value: SSAValue) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value.type, TensorType)


@dataclass(frozen=True, kw_only=True)
class _Home:
    """The buffer that a carried or yielded tile keeps, and the tensor it held before."""

    buffer: SSAValue
    old: SSAValue | None


@dataclass
class _Bufferizer:
    """Makes buffer ops beside the tensor ops; `retire` removes the latter at the end."""

    buffers: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())
    targets: dict[SSAValue, SSAValue] = field(default_factory=lambda: dict[SSAValue, SSAValue]())
    retired: list[Operation] = field(default_factory=lambda: list[Operation]())

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            self.op(op)

    def retire(self) -> None:
        for op in reversed(self.retired):
            op.detach()
            op.erase(safe_erase=False)

    def op(self, op: Operation) -> None:
        match op:
            case tensor.EmptyOp():
                self.retired.append(op)
            case ToTensorOp():
                self._done(op, op.memref)
            case DestinationOp() if any(is_tensor(value) for value in op.operands):
                self._pipe_op(op)
            case tensor.ExtractSliceOp():
                shape = tensor_type(op.result).get_shape()
                view = subview(self.buffer(op.source, op), *box_of(op), shape)
                insert_before(op, [view])
                self._done(op, view.result)
            case tensor.InsertSliceOp():
                self._insert_slice(op)
            case tensor.CollapseShapeOp() | tensor.ExpandShapeOp():
                self._reshape(op)
            case BitcastOp() if is_tensor(op.src):
                bits = BitcastOp(self._own(op.src, op), tensor_type(op.result).get_element_type())
                insert_before(op, [bits])
                self._done(op, bits.result)
            case tensor.ExtractOp():
                load = memref.LoadOp.get(self.buffer(op.tensor, op), list(op.indices))
                insert_before(op, [load])
                op.result.replace_all_uses_with(load.res)
                self.retired.append(op)
            case tensor.InsertOp():
                home = self._destination(op, op.result, op.dest, reads=True)
                insert_before(op, [memref.StoreOp.get(op.scalar, home, list(op.indices))])
                self._done(op, home)
            case MarkOp() if is_tensor(op.src):
                self.retired.append(op)
            case DebugOp() if is_tensor(op.arg):
                op.operands[0] = self.buffer(op.arg, op)
            case arith.SelectOp() if is_tensor(op.result):
                left, right = self.buffer(op.lhs, op), self.buffer(op.rhs, op)
                chosen = arith.SelectOp(op.cond, left, right)
                insert_before(op, [chosen])
                self._done(op, chosen.result)
            case LinalgStructuredOperation() if op.results:
                self.buffers |= bufferize_structured(op, self.buffer, self._destination)
                self.retired.append(op)
            case arith.ConstantOp() if is_tensor(op.result):
                made = constant_buffer(op)
                insert_before(op, made)
                self._done(op, made[0].results[0])
            case _:
                self._border_or_region(op)

    def _border_or_region(self, op: Operation) -> None:
        match op:
            case ToMemrefOp():
                self._border(op)
            case ScopeOp() if any(is_tensor(result) for result in op.results):
                self._scope(op)
            case scf.ForOp():
                self._loop(op)
            case scf.IfOp():
                self._branches(op)
            case _ if any(is_tensor(value) for value in op.operands):
                if not isinstance(op, _KEEPERS):
                    raise unknown_op(op)
            case _:
                return

    def buffer(self, value: SSAValue, before: Operation) -> SSAValue:
        """The buffer of a tensor; a fresh one for a tensor without contents."""
        if value not in self.buffers:
            self.buffers[value] = self._alloc(value, before)
        return self.buffers[value]

    def _alloc(self, value: SSAValue, before: Operation) -> SSAValue:
        kind = tensor_type(value)
        open_extents = [extent for extent in extents(value) if isinstance(extent, SSAValue)]
        shape = MemRefType(kind.element_type, kind.get_shape())
        alloc = memref.AllocOp(open_extents, [], shape)
        alloc.alignment = IntegerAttr(64, i64)
        alloc.memref.name_hint = value.name_hint
        insert_before(before, [alloc])
        return alloc.memref

    def _done(self, op: Operation, buffer: SSAValue) -> None:
        self.buffers[op.results[0]] = buffer
        self.retired.append(op)

    def _pipe_op(self, op: DestinationOp) -> None:
        for source in op.sources():
            if is_tensor(source):
                self.buffer(source, op)
        places = self._places(op)
        operands: list[SSAValue] = []
        for index, value in enumerate(op.operands):
            own = places.get(index)
            buffer = value if not is_tensor(value) else own or self.buffer(value, op)
            operands.append(buffer)
        made = type(op).create(
            operands=operands, properties=dict(op.properties), attributes=dict(op.attributes)
        )
        insert_before(op, [made])
        self.retired.append(op)

    def _places(self, op: DestinationOp) -> dict[int, SSAValue]:
        """The buffers that results are written to, by the positions of the destinations."""
        places = dict[int, SSAValue]()
        for index, result in zip(written_operands(op), op.results, strict=True):
            old = op.operands[index]
            place = self._destination(op, result, old, reads=op.reads_destination())
            places[index] = self.buffers[result] = place
        return places

    def _destination(
        self, op: Operation, result: SSAValue, old: SSAValue, *, reads: bool
    ) -> SSAValue:
        """The buffer that `op` writes: the old tile's where that is safe, else a fresh one."""
        target = self.targets.get(result)
        is_empty = isinstance(old.owner, tensor.EmptyOp)
        if target is not None:
            kept = self.buffer(old, op) if reads and not is_empty else target
            if kept is not target:
                insert_before(op, [CopyOp(kept, target)])
            return target
        if is_empty:
            return self._alloc(result, op)
        home = self.buffer(old, op)
        if not is_borrowed(home) and not is_read_after(old, op):
            return home
        # A tensor that the function takes has the type of its buffer by now.
        fresh = self._alloc(old if is_tensor(old) else result, op)
        if reads:
            insert_before(op, [CopyOp(home, fresh)])
        return fresh

    def _insert_slice(self, op: tensor.InsertSliceOp) -> None:
        home = self._destination(op, op.result, op.dest, reads=True)
        part = subview(home, *box_of(op), tensor_type(op.source).get_shape())
        load = only_load(op.source)
        if load is None:
            insert_before(op, [part, CopyOp(self.buffer(op.source, op), part.result)])
        else:
            load_into(load, part, op)
        self._done(op, home)

    def _reshape(self, op: Reshape) -> None:
        """The tile seen with other dimensions; a copy where the old one is still read."""
        source = self.buffers.get(op.src)
        stays = source is not None and is_borrowed(source) and isinstance(op, tensor.ExpandShapeOp)
        view = reshaped(op, source if stays and source else self._own(op.src, op))
        insert_before(op, [view])
        self._done(op, view.result)

    def _own(self, value: SSAValue, op: Operation) -> SSAValue:
        """The buffer of a tile in one piece that only `op` uses from here on; a copy if need be."""
        source = self.buffer(value, op)
        if is_contiguous(kind_of(source)) and not is_read_after(value, op):
            return source
        fresh = self._alloc(value, op)
        insert_before(op, [CopyOp(source, fresh)])
        return fresh

    def _border(self, op: ToMemrefOp) -> None:
        """A buffer that the module asks for: that of the tensor, if there is one by now."""
        known = self.buffers.get(op.tensor)
        if known is not None and known is not op.memref and known.type == op.memref.type:
            op.memref.replace_all_uses_with(known)
            self.retired.append(op)

    def _scope(self, scope: ScopeOp) -> None:
        """A region that hands out its tiles: it hands out their buffers."""
        end = scope.region.block.last_op
        assert end is not None
        self.block(scope.region.block)
        end.operands = [self.buffer(v, end) if is_tensor(v) else v for v in end.operands]
        made = ScopeOp.build(
            result_types=[[value.type for value in end.operands]],
            properties=dict(scope.properties),
            attributes=dict(scope.attributes),
            regions=[scope.detach_region(scope.region)],
        )
        insert_before(scope, [made])
        for old, new in zip(scope.results, made.results, strict=True):
            if is_tensor(old):
                self.buffers[old] = new
            else:
                old.replace_all_uses_with(new)
        self.retired.append(scope)

    def _loop(self, loop: scf.ForOp) -> None:
        yielded = loop.body.block.last_op
        assert isinstance(yielded, scf.YieldOp)
        homes: dict[int, _Home] = {}
        for index, argument in enumerate(loop.body.block.args[1:]):
            if is_tensor(argument):
                start = self._start_buffer(loop.iter_args[index], loop)
                homes[index] = _Home(buffer=start, old=argument)
                self.buffers[argument] = self.buffers[loop.results[index]] = start
        self._aim(yielded, homes)
        self.block(loop.body.block)
        self._move_home(yielded, homes)

    def _start_buffer(self, start: SSAValue, loop: scf.ForOp) -> SSAValue:
        if isinstance(start.owner, tensor.EmptyOp):
            return self._alloc(start, loop)
        home = self.buffer(start, loop)
        if not is_borrowed(home) and not is_read_after(start, loop):
            return home
        fresh = self._alloc(start, loop)
        insert_before(loop, [CopyOp(home, fresh)])
        return fresh

    def _branches(self, op: scf.IfOp) -> None:
        regions = [region for region in (op.true_region, op.false_region) if region.blocks]
        yields = [region.block.last_op for region in regions]
        homes: dict[int, _Home] = {}
        for index, result in enumerate(op.results):
            if is_tensor(result):
                homes[index] = self._branch_home(op, index, yields)
                self.buffers[result] = homes[index].buffer
        for region, yielded in zip(regions, yields, strict=True):
            assert isinstance(yielded, scf.YieldOp)
            self._aim(yielded, homes)
            self.block(region.block)
            self._move_home(yielded, homes)

    def _branch_home(self, op: scf.IfOp, index: int, yields: Sequence[Operation | None]) -> _Home:
        """The buffer of a branch's result: that of the tile it updates, where nobody needs that."""
        for yielded in yields:
            assert yielded is not None
            value = updated(yielded.operands[index])
            home = self.buffers.get(value)
            if home is not None and not is_borrowed(home) and not is_needed_elsewhere(value, op):
                return _Home(buffer=home, old=value)
        return _Home(buffer=self._alloc(op.results[index], op), old=None)

    def _aim(self, yielded: scf.YieldOp, homes: dict[int, _Home]) -> None:
        """Lets the makers of yielded tiles write straight into the kept buffers."""
        for index, home in homes.items():
            made = yielded.operands[index]
            here = isinstance(made.owner, Operation) and made.owner.parent is yielded.parent
            if here and (home.old is None or is_safe_target(home.old, made)):
                self.targets.setdefault(made, home.buffer)

    def _move_home(self, yielded: scf.YieldOp, homes: dict[int, _Home]) -> None:
        """Copies yielded tiles into the kept buffers; none is overwritten before it was read."""
        sources = {index: self.buffer(yielded.operands[index], yielded) for index in homes}
        moved = [home.buffer for index, home in homes.items() if sources[index] is not home.buffer]
        for index, source in sources.items():
            if source in moved and source is not homes[index].buffer:
                spare = self._alloc(yielded.operands[index], yielded)
                insert_before(yielded, [CopyOp(source, spare)])
                sources[index] = spare
        for index, home in homes.items():
            if sources[index] is not home.buffer:
                insert_before(yielded, [CopyOp(sources[index], home.buffer)])
