"""Pass linalg-fuse-elementwise-ops: two loops over the same elements become one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.structured import splat


@dataclass(frozen=True)
class LinalgFuseElementwiseOpsPass(ModulePass):
    """A `linalg.generic` takes the body of the one whose result it alone reads.

    ```
    %s = generic ins(%a, %b) { yield a + b }         %r = generic ins(%a, %b)
    %r = generic ins(%s) { yield max(s, 0) }   -->        { s = a + b; yield max(s, 0) }
    ```

    The tensor between the two is never made. On loops this would need a proof that both run
    over the same elements; here the maps say it.

    Algorithm: a producer with parallel iterators, an identity map for its result and one user
    goes. Its maps are put behind the map by which the user read it. A constant tensor whose
    elements are equal becomes a scalar constant in the body.

    Differs from upstream: MLIR also fuses producers with permuted results, and reshapes.
    """

    name = "linalg-fuse-elementwise-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Backwards: a generic that took one producer meets that one's producers next.
        for inner in reversed(list(op.walk())):
            found = inner if isinstance(inner, GenericOp) and inner.parent is not None else None
            while found is not None:  # one that was drawn in stands nowhere any more
                found = _fuse_one(found)


def _fuse_one(op: GenericOp) -> GenericOp | None:
    """Draws one producer or constant in; None where there is none to draw in."""
    for index, value in enumerate(op.inputs):
        element = splat(value.owner) if isinstance(value.owner, arith.ConstantOp) else None
        if element is not None:
            return _with_constant(op, index, arith.ConstantOp(element))
        if isinstance(value.owner, GenericOp) and _may_fuse(value.owner, op, index):
            return _fused(value.owner, op, index)
    return None


def _may_fuse(producer: GenericOp, op: GenericOp, index: int) -> bool:
    parallel = all(one.data is IteratorType.PARALLEL for one in producer.iterator_types)
    maps = producer.indexing_maps.data
    whole = len(producer.results) == 1 and maps[-1].data == AffineMap.identity(
        maps[-1].data.num_dims
    )
    uses = list(producer.results[0].uses)
    counts = any(isinstance(inner, IndexOp) for inner in producer.body.block.ops)
    reads_result = bool(list(producer.body.block.args[-1].uses))
    return parallel and whole and len(uses) == 1 and not counts and not reads_result


def _with_constant(op: GenericOp, index: int, scalar: arith.ConstantOp) -> GenericOp:
    block = op.body.block
    first = block.first_op
    assert first is not None
    block.insert_op_before(scalar, first)
    block.args[index].replace_all_uses_with(scalar.result)
    block.erase_arg(block.args[index])
    kept = [at for at in range(len(op.operands)) if at != index]
    tensor_of_it = op.inputs[index].owner
    made = _again(op, [op.operands[at] for at in kept], [op.indexing_maps.data[at] for at in kept])
    replace(op, [made])
    if isinstance(tensor_of_it, Operation) and not list(tensor_of_it.results[0].uses):
        _drop(tensor_of_it)
    return made


def _fused(producer: GenericOp, op: GenericOp, index: int) -> GenericOp:
    """The producer's body runs first, then op's on what it yielded."""
    read_by = op.indexing_maps.data[index].data
    inputs = list(op.inputs)
    maps = list(op.indexing_maps.data)
    drawn = [AffineMapAttr(one.data.compose(read_by)) for one in producer.indexing_maps.data[:-1]]
    inputs[index : index + 1] = producer.inputs
    maps[index : index + 1] = drawn
    _join_bodies(producer.body.block, op.body.block, index)
    made = _again(op, [*inputs, *op.outputs], maps)
    replace(op, [made])
    start = producer.outputs[0].owner
    _drop(producer)
    if isinstance(start, tensor.EmptyOp) and not list(start.tensor.uses):
        _drop(start)
    return made


def _drop(op: Operation) -> None:
    op.detach()
    op.erase()


def _join_bodies(first: Block, second: Block, index: int) -> None:
    arguments = [
        second.insert_arg(old.type, index + at) for at, old in enumerate(list(first.args)[:-1])
    ]
    values: dict[SSAValue, SSAValue] = dict(zip(first.args, arguments, strict=False))
    start = second.first_op
    assert start is not None
    taken = second.args[index + len(arguments)]
    for inner in first.ops:
        if isinstance(inner, YieldOp):
            taken.replace_all_uses_with(values.get(inner.operands[0], inner.operands[0]))
            break
        second.insert_op_before(inner.clone(values), start)
    second.erase_arg(taken)


def _again(op: GenericOp, operands: list[SSAValue], maps: list[AffineMapAttr]) -> GenericOp:
    """The same computation of other operands."""
    body: Region = op.detach_region(op.body)
    return GenericOp(
        inputs=operands[: len(operands) - len(op.outputs)],
        outputs=operands[len(operands) - len(op.outputs) :],
        body=body,
        indexing_maps=maps,
        iterator_types=op.iterator_types,
        result_types=[result.type for result in op.results],
    )
