"""Counting iterations: which copy of a buffer, or of a flag, it is the turn of."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.rewriting import insert_at_start
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.simplify import constant


def iteration(loop: scf.ForOp) -> SSAValue:
    """The number of the iteration, from 0, as an i64 at the top of the loop's body."""
    ops: list[Operation] = []
    value = _number(loop, ops)
    insert_at_start(loop.body.block, ops, like=loop)
    return value


def turn(function: func.FuncOp, loop: scf.ForOp, copies: int, first: int = 0) -> SSAValue:
    """`first` + iteration modulo `copies`, as an i64 at the top of the loop's body."""
    ops: list[Operation] = []
    rest = arith.RemSIOp(_number(loop, ops), constant(function, copies, i64))
    ops.append(rest)
    value: SSAValue = rest.result
    if first:
        shifted = arith.AddiOp(value, constant(function, first, i64))
        ops.append(shifted)
        value = shifted.result
    insert_at_start(loop.body.block, ops, like=loop)
    return value


def _number(loop: scf.ForOp, ops: list[Operation]) -> SSAValue:
    value = _wide(loop.body.block.args[0], ops)
    if constant_of(loop.lb) != 0:
        shifted = arith.SubiOp(value, _wide(loop.lb, ops))
        ops.append(shifted)
        value = shifted.result
    if constant_of(loop.step) != 1:
        divided = arith.DivSIOp(value, _wide(loop.step, ops))
        ops.append(divided)
        value = divided.result
    return value


def _wide(value: SSAValue, ops: list[Operation]) -> SSAValue:
    """The value as i64."""
    if value.type == i64:
        return value
    if isinstance(value.type, IndexType):
        cast: Operation = arith.IndexCastOp(value, i64)
    else:
        assert isinstance(value.type, IntegerType)
        cast = arith.ExtSIOp(value, i64)
    ops.append(cast)
    return cast.results[0]
