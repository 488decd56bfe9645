"""Loops and branches with fewer of the values that they carry from trip to trip or yield."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation

from tlcourse.dialects.rewriting import insert_before


def keep_carried(loop: scf.ForOp, kept: Sequence[int]) -> scf.ForOp:
    """Rebuilds a loop with the carried values at the positions `kept` only.

    What still reads one of the others reads dangling values and has to go with them.
    """
    _filter_yield(loop.body.block, kept)
    for index in reversed(range(len(loop.results))):
        if index not in kept:
            loop.body.block.erase_arg(loop.body.block.args[index + 1], safe_erase=False)
    starts = [loop.iter_args[index] for index in kept]
    fresh = scf.ForOp(loop.lb, loop.ub, loop.step, starts, loop.detach_region(loop.body))
    _take_place(loop, fresh, kept)
    return fresh


def keep_yielded(op: scf.IfOp, kept: Sequence[int]) -> scf.IfOp:
    """Rebuilds a branch with the results at the positions `kept` only."""
    regions = [op.true_region, op.false_region]
    for region in regions:
        for block in region.blocks:
            _filter_yield(block, kept)
    kinds = [op.results[index].type for index in kept]
    true_region, false_region = (op.detach_region(region) for region in regions)
    fresh = scf.IfOp(op.cond, kinds, true_region, false_region)
    _take_place(op, fresh, kept)
    return fresh


def _filter_yield(block: Block, kept: Sequence[int]) -> None:
    yielded = block.last_op
    assert isinstance(yielded, scf.YieldOp)
    yielded.operands = [yielded.operands[index] for index in kept]


def _take_place(old: Operation, fresh: Operation, kept: Sequence[int]) -> None:
    fresh.attributes |= old.attributes
    insert_before(old, [fresh])
    for new_result, index in zip(fresh.results, kept, strict=True):
        old.results[index].replace_all_uses_with(new_result)
    old.detach()
    old.erase(safe_erase=False)


def drop_tensor_results(function: func.FuncOp) -> None:
    """Rebuilds loops and branches without the tensors that they used to carry."""
    for op in reversed(list(function.walk())):
        if not any(isinstance(result.type, TensorType) for result in op.results):
            continue
        if isinstance(op, scf.ForOp):
            keep_carried(op, _without_tensors(op))
        elif isinstance(op, scf.IfOp):
            keep_yielded(op, _without_tensors(op))


def _without_tensors(op: Operation) -> list[int]:
    results = enumerate(op.results)
    return [index for index, result in results if not isinstance(result.type, TensorType)]
