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
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.dma import CopyOp, LoadOp
from tlcourse.dialects.locations import inherit
from tlcourse.dialects.memref import subview
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffer_lives import is_read_after, is_safe_target
from tlcourse.passes.npuir.buffers import box_of, is_contiguous, kind_of
from tlcourse.passes.npuir.carried import keep_carried, keep_yielded
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.labels import labels_of
from tlcourse.passes.npuir.tensor_shapes import Reshape, extents, reshaped


@dataclass(frozen=True)
class OneShotBufferizePass(ModulePass):
    """Replaces every tensor by a buffer."""

    name = "one-shot-bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            if function.body.blocks:
                work = _Bufferizer()
                work.block(function.body.block)
                work.retire()
                _drop_tensor_results(function)


# Ops that hand tensors on; the op around them takes care of their operands.
_KEEPERS = (scf.YieldOp, func.ReturnOp)


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
            case PipeOp() if any(is_tensor(value) for value in op.operands):
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
            case scf.ForOp():
                self._loop(op)
            case scf.IfOp():
                self._branches(op)
            case arith.SelectOp() if is_tensor(op.result):
                left, right = self.buffer(op.lhs, op), self.buffer(op.rhs, op)
                chosen = arith.SelectOp(op.cond, left, right)
                insert_before(op, [chosen])
                self._done(op, chosen.result)
            case _ if any(is_tensor(value) for value in op.operands):
                if not isinstance(op, _KEEPERS):
                    raise _unknown(op)
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
        alloc.memref.name_hint = value.name_hint
        insert_before(before, [alloc])
        return alloc.memref

    def _done(self, op: Operation, buffer: SSAValue) -> None:
        self.buffers[op.results[0]] = buffer
        self.retired.append(op)

    def _pipe_op(self, op: PipeOp) -> None:
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

    def _places(self, op: PipeOp) -> dict[int, SSAValue]:
        """The buffers that results are written to, by the positions of the destinations."""
        operands, places = list(op.operands), dict[int, SSAValue]()
        for destination, result in zip(op.destinations(), op.results, strict=False):
            # A destination stands behind the sources, and one tile may be both.
            index = max(
                index
                for index, value in enumerate(operands)
                if value is destination and index not in places
            )
            place = self._destination(op, result, destination, reads=op.reads_destination())
            places[index] = self.buffers[result] = place
        return places

    def _destination(
        self, op: Operation, result: SSAValue, old: SSAValue, *, reads: bool
    ) -> SSAValue:
        """The buffer that `op` writes: the old tile's where that is safe, else a fresh one."""
        target = self.targets.get(result)
        if target is not None:
            return target
        if isinstance(old.owner, tensor.EmptyOp):
            return self._alloc(result, op)
        home = self.buffer(old, op)
        if not is_read_after(old, op):
            return home
        fresh = self._alloc(old, op)
        if reads:
            insert_before(op, [CopyOp(home, fresh)])
        return fresh

    def _insert_slice(self, op: tensor.InsertSliceOp) -> None:
        home = self._destination(op, op.result, op.dest, reads=True)
        part = subview(home, *box_of(op), tensor_type(op.source).get_shape())
        load = _only_load(op.source)
        if load is None:
            insert_before(op, [part, CopyOp(self.buffer(op.source, op), part.result)])
        else:
            _load_into(load, part, op)
        self._done(op, home)

    def _reshape(self, op: Reshape) -> None:
        """The tile seen with other dimensions; a copy where the old one is still read."""
        view = reshaped(op, self._own(op.src, op))
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
        if not is_read_after(start, loop):
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
            value = yielded.operands[index]
            if value in self.buffers and not _is_needed_elsewhere(value, op):
                return _Home(buffer=self.buffers[value], old=value)
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


def _unknown(op: Operation) -> TLError:
    return error(
        "TL306",
        f"{op.name} takes a tensor, and no buffer form of it is known",
        why="bufferization gives each tensor a buffer, and rewrites the ops that it knows",
        fix="lower the op to HIVM before this pass, as the pipeline does",
        labels=labels_of(op),
    )


def _only_load(value: SSAValue) -> LoadOp | None:
    """The load that fills a tile which nothing but one `insert_slice` reads."""
    if not isinstance(value.owner, ToTensorOp) or len(list(value.uses)) != 1:
        return None
    place = value.owner.memref
    loads = [use.operation for use in place.uses if isinstance(use.operation, LoadOp)]
    if len(loads) != 1 or len(list(place.uses)) != 2 or loads[0].dst is not place:
        return None
    return loads[0]


def _load_into(load: LoadOp, part: memref.SubviewOp, op: tensor.InsertSliceOp) -> None:
    """Lets a load fill its part of the tile at once, without a buffer in between."""
    again = load.clone()
    again.operands[1] = part.result
    inherit([again], load.location)
    insert_before(op, [part, again])
    load.detach()
    load.erase()


def _is_needed_elsewhere(value: SSAValue, op: scf.IfOp) -> bool:
    """Whether a tile is read after an `if`; its own yields do not count."""
    inside = [use.operation for use in value.uses if isinstance(use.operation, scf.YieldOp)]
    others = [use for use in value.uses if use.operation not in inside]
    nested = {id(inner) for inner in op.walk()}
    late = [use for use in others if id(use.operation) not in nested]
    return is_read_after(value, op) and bool(late)


def _drop_tensor_results(function: func.FuncOp) -> None:
    """Rebuilds loops and branches without the tensors that they used to carry."""
    for op in reversed(list(function.walk())):
        if isinstance(op, scf.ForOp) and any(is_tensor(result) for result in op.results):
            keep_carried(op, _without_tensors(op))
        elif isinstance(op, scf.IfOp) and any(is_tensor(result) for result in op.results):
            keep_yielded(op, _without_tensors(op))


def _without_tensors(op: Operation) -> list[int]:
    return [index for index, result in enumerate(op.results) if not is_tensor(result)]
