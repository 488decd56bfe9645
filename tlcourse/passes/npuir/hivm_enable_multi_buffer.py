"""Pass hivm-enable-multi-buffer: each iteration takes the copy whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.hivm_mark_multi_buffer import ATTRIBUTE
from tlcourse.passes.npuir.iteration import turn
from tlcourse.passes.npuir.simplify import constant


@dataclass(frozen=True)
class HivmEnableMultiBufferPass(DevicePass):
    """A buffer with several addresses becomes several buffers, used in turns.

    ```
    scf.for %i .. {                     -->   %p = pointer_cast(%c0_i64)
      %a = pointer_cast(%c0, %c16384)         %q = pointer_cast(%c16384_i64)
                                              scf.for %i .. {
                                                %a = arith.select (%i mod 2 == 1), %q, %p
    ```

    Algorithm: one `pointer_cast` per address moves before the loops; in the innermost loop
    around the buffer the iteration, modulo the number of copies, selects one.

    Differs from upstream: in nested loops the inner loop starts with the first copy again;
    upstream counts through both.
    """

    name = "hivm-enable-multi-buffer"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, PointerCastOp) and len(op.addrs) > 1:
                _split(function, op)


def _split(function: func.FuncOp, op: PointerCastOp) -> None:
    loop = _loop_around(op)
    assert loop is not None, "only buffers inside loops have several copies"
    kind = op.result.type
    assert isinstance(kind, MemRefType)
    copies = [PointerCastOp([address], kind) for address in op.addrs]
    for number, copy in enumerate(copies):
        hint = op.result.name_hint
        copy.result.name_hint = f"{hint}_copy{number}" if hint else None
    insert_before(_outermost(function, op), copies, like=op)
    number = turn(function, loop, len(copies))
    _drop_marks(op)
    hint = op.result.name_hint
    ops, chosen = _select(function, number, [copy.result for copy in copies])
    replace(op, ops, [chosen])
    chosen.name_hint = hint


def _select(
    function: func.FuncOp, number: SSAValue, copies: list[SSAValue]
) -> tuple[list[Operation], SSAValue]:
    ops: list[Operation] = []
    chosen = copies[0]
    for index, copy in enumerate(copies[1:], start=1):
        is_turn = arith.CmpiOp(number, constant(function, index, i64), "eq")
        select = arith.SelectOp(is_turn.result, copy, chosen)
        ops += [is_turn, select]
        chosen = select.result
    return ops, chosen


def _loop_around(op: Operation) -> scf.ForOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp):
        parent = parent.parent_op()
    return parent


def _outermost(function: func.FuncOp, op: Operation) -> Operation:
    """The statement of the function's body that the op stands in."""
    found = function.body.block.find_ancestor_op_in_block(op)
    assert found is not None
    return found


def _drop_marks(op: PointerCastOp) -> None:
    marks = [use.operation for use in op.result.uses if isinstance(use.operation, MarkOp)]
    for mark in marks:
        if ATTRIBUTE in mark.attributes:
            mark.detach()
            mark.erase()
