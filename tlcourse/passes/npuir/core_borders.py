"""The older rules of hivm-insert-load-store-for-mix-cv, chosen by its option enable-legacy.

Each rule looks at one reader of a tile and asks which op made the tile. They are applied until
none does anything more. Where they differ from the newer way: every reader gets a load of its
own, no core is written on it, and loops and branches with tiles in global memory are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from xdsl.dialects import func, memref, scf, tensor
from xdsl.dialects.builtin import IntegerAttr, MemRefType, TensorType, i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.macros import BatchMmadL1Op, ConvOp
from tlcourse.dialects.hivm.vector import VectorPipeOp
from tlcourse.dialects.locations import inherit
from tlcourse.passes.npuir.buffers import extents_of, kind_of
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.definitions import ELIDED, definition, yielded
from tlcourse.passes.npuir.tensor_shapes import extents

Way = Literal["load", "store", "store and load"]
_WAYS: dict[Way, tuple[type[StoreOp | LoadOp], ...]] = {
    "load": (LoadOp,),
    "store": (StoreOp,),
    "store and load": (StoreOp, LoadOp),
}
Rule = Callable[[Operation], bool]

_CUBE = (MmadL1Op, BatchMmadL1Op, ConvOp)
# Loops that gather element by element, which only vector cores can.
_GATHERS = "ExtractedLoadOrStore"
# What `to_tensor` says of a tile that the vector cores have to fill or turn.
_FILLED = ("gather_load", "index_select_simd")
_TURNED = "MayImplicitTransposeWithLastAxis"
_SCATTERED = "maybeUnCollapsibleReshape"
_KEEP = "InsertLoadStoreForMixCV::markToAvoidDCE"


def join_cores(function: func.FuncOp) -> None:
    """Puts loads and stores at all borders between the cores in one function."""
    for rules in (
        (_same_memory_from_branches, _same_memory_from_turns),
        (_load_before_loop,),
        (
            _vector_to_cube,
            _turn_to_cube,
            _gathered_to_cube,
            _vector_to_load,
            _memory_to_reader,
            _keep_in_memory,
        ),
    ):
        _until_settled(function, rules)


def _until_settled(function: func.FuncOp, rules: tuple[Rule, ...]) -> None:
    while any([rule(op) for op in reversed(list(function.walk())) for rule in rules]):
        pass


def _is_vector(op: Operation) -> bool:
    return isinstance(op, VectorPipeOp | tensor.InsertOp | tensor.InsertSliceOp)


def _is_memory(op: Operation) -> bool:
    """Whether an op leaves its tile in global memory."""
    return isinstance(op, FixpipeOp | StoreOp)


def _in_memory(value: SSAValue) -> bool:
    return definition(value, _is_memory) is not None


def _same_memory_from_branches(op: Operation) -> bool:
    """Both branches leave their tile in global memory where one of them does."""
    if not isinstance(op, scf.IfOp) or not op.false_region.blocks:
        return False
    ends = [_end(region.block) for region in op.regions]
    for index in range(len(op.results)):
        there = [_in_memory(end.operands[index]) for end in ends]
        if there[0] != there[1]:
            _mark(op.results[0])
            _put(Use(ends[there.index(False)], index), "store")
            return True
    return False


def _mark(value: SSAValue) -> None:
    """Keeps a value that nobody may read later on."""
    mark = MarkOp(value)
    mark.attributes[_KEEP] = IntegerAttr(1, i32)
    assert isinstance(value.owner, Operation)
    _insert_after(value, [mark], like=value.owner)


def _same_memory_from_turns(op: Operation) -> bool:
    """A loop that starts with a tile on chip gets such a tile from each turn."""
    loop = op.parent_op()
    if not isinstance(op, scf.YieldOp) or not isinstance(loop, scf.ForOp):
        return False
    for index, (value, start) in enumerate(zip(op.operands, loop.iter_args, strict=True)):
        if _in_memory(value) and definition(start, _is_on_chip):
            _put(Use(op, index), "load")
            return True
    return False


def _is_on_chip(op: Operation) -> bool:
    return _is_vector(op) or isinstance(op, LoadOp)


def _load_before_loop(op: Operation) -> bool:
    """A tile in global memory is loaded before a loop of vector ops starts with it."""
    match op:
        case scf.ForOp():
            arguments, first = op.body.block.args[1:], op.operands[3:]
        case scf.WhileOp():
            arguments, first = op.before_region.block.args, op.arguments
        case _:
            return False
    if any(isinstance(inner, MmadL1Op) for inner in op.walk()):
        return False
    offset = len(op.operands) - len(first)
    uses = [
        Use(op, offset + index)
        for index, (start, argument) in enumerate(zip(first, arguments, strict=True))
        if _in_memory(start) and not _is_loaded(argument)
    ]
    return _put_all(uses, "load")


def _is_loaded(argument: SSAValue) -> bool:
    users = [use.operation for use in argument.uses]
    return any(isinstance(user, LoadOp) and user.src is argument for user in users)


def _vector_to_cube(op: Operation) -> bool:
    if not isinstance(op, _CUBE):
        return False
    return _put_all(_uses(op, lambda value: bool(definition(value, _is_vector))), "store and load")


def _turn_to_cube(op: Operation) -> bool:
    """A carried tile that the vector cores make in the turn before goes to the matrix op."""
    loop = op.parent_op()
    if not isinstance(op, _CUBE) or not isinstance(loop, scf.ForOp):
        return False

    def comes_from_vector(value: SSAValue) -> bool:
        after = yielded(loop, value)
        return after is not None and definition(after, _is_vector) is not None

    return _put_all(_uses(op, comes_from_vector), "store and load")


def _gathered_to_cube(op: Operation) -> bool:
    if not isinstance(op, MmadL1Op | ConvOp):
        return False
    return _put_all(_uses(op, _needs_vector), "store and load")


def _needs_vector(value: SSAValue) -> bool:
    """Whether a tile that no vector op made has to go through the vector cores still."""
    loop = definition(value, lambda op: isinstance(op, scf.ForOp))
    if loop is not None and _GATHERS in loop.attributes:
        return True
    tile = definition(value, lambda op: isinstance(op, ToTensorOp))
    if tile is not None and any(word in tile.attributes for word in _FILLED):
        return True
    if tile is not None and _is_marked(tile.results[0], _TURNED):
        return True
    flat = definition(value, lambda op: isinstance(op, tensor.CollapseShapeOp))
    return flat is not None and _is_marked(flat.results[0], _SCATTERED)


def _is_marked(value: SSAValue, word: str) -> bool:
    marks = (use.operation for use in value.uses if isinstance(use.operation, MarkOp))
    return any(word in mark.attributes for mark in marks)


def _vector_to_load(op: Operation) -> bool:
    if not isinstance(op, LoadOp) or definition(op.src, _is_vector) is None:
        return False
    return _put_all([Use(op, 0)], "store")


def _memory_to_reader(op: Operation) -> bool:
    """Who reads a tile in global memory gets a load, a store for what it stores only."""
    reads = (VectorPipeOp, MmadL1Op, ConvOp, tensor.ExtractOp, tensor.InsertOp)
    if isinstance(op, StoreOp):
        uses = [Use(op, 0)]
    elif isinstance(op, reads) or (
        isinstance(op, tensor.InsertSliceOp) and ELIDED not in op.attributes
    ):
        uses = [Use(op, index) for index in range(len(op.operands))]
    else:
        return False
    return _put_all([use for use in uses if _lies_in_memory(use)], "load")


def _lies_in_memory(use: Use) -> bool:
    value = use.operation.operands[use.index]
    return definition(value, _is_memory, through_parts=False) is not None


def _keep_in_memory(op: Operation) -> bool:
    """A carried tile that a loop loads is stored again at the end of each turn."""
    if not isinstance(op, LoadOp) or not op.results or not isinstance(op.src, BlockArgument):
        return False
    loop = op.src.owner.parent_op()
    after = yielded(loop, op.src) if isinstance(loop, scf.ForOp) else None
    if after is None or _in_memory(after):
        return False
    _put(Use(_end(op.src.owner), op.src.index - 1), "store", place=op.src)
    return True


def _uses(op: Operation, test: Callable[[SSAValue], bool]) -> list[Use]:
    return [Use(op, index) for index, value in enumerate(op.operands) if test(value)]


def _put_all(uses: list[Use], way: Way) -> bool:
    for use in uses:
        _put(use, way)
    return bool(uses)


def _put(use: Use, way: Way, *, place: SSAValue | None = None) -> None:
    """Carries the tile of one operand over, right behind the op that made it."""
    value, new_ops = use.operation.operands[use.index], list[Operation]()
    for kind in _WAYS[way]:
        value = _moved(value, kind, new_ops, place)
    _insert_after(use.operation.operands[use.index], new_ops, like=use.operation)
    use.operation.operands[use.index] = value


def _moved(
    value: SSAValue,
    kind: type[StoreOp | LoadOp],
    new_ops: list[Operation],
    place: SSAValue | None,
) -> SSAValue:
    if place is None:
        fresh = _fresh(value)
        new_ops.append(fresh)
        place = fresh.results[0]
    move = kind(value, place)
    new_ops.append(move)
    return move.results[0] if move.results else place


def _fresh(value: SSAValue) -> Operation:
    if isinstance(value.type, TensorType):
        open_extents = [extent for extent in extents(value) if isinstance(extent, SSAValue)]
        return tensor.EmptyOp(open_extents, tensor_type(value))
    open_extents = [extent for extent in extents_of(value) if isinstance(extent, SSAValue)]
    kind = kind_of(value)
    return memref.AllocOp(open_extents, [], MemRefType(kind.element_type, kind.get_shape()))


def _insert_after(value: SSAValue, new_ops: list[Operation], *, like: Operation) -> None:
    inherit(new_ops, like.location)
    owner = value.owner
    place = InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)
    Rewriter.insert_op(new_ops, place)


def _end(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
