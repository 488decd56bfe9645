"""Rules on the grid and on scalars."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from tlcourse.dialects import tl
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import Statement

_ROOTS = (math.AbsFOp, math.AbsIOp, math.SqrtOp, math.RsqrtOp)
_NOT_EQUAL = 13  # une in the table of arith.cmpf: unordered or not equal
_POWERS = (math.ExpOp, math.Exp2Op, math.LogOp, math.Log2Op)


def _has_three_extents(statement: Statement) -> bool:
    call = statement.call
    return isinstance(statement.op, tl.KernelOp) and call is not None and len(call.args) > 2


def _has_threads(statement: Statement) -> bool:
    if not isinstance(statement.op, tl.KernelOp):
        return False
    threads, is_npu = (statement.argument(name) for name in ("threads", "is_npu"))
    return threads is not None and is_npu is None


def _is_root(statement: Statement) -> bool:
    is_sigmoid = isinstance(statement.op, math.ExpOp) and statement.name == "sigmoid"
    return is_sigmoid or isinstance(statement.op, _ROOTS)


def _is_power(statement: Statement) -> bool:
    return isinstance(statement.op, _POWERS) and statement.name != "sigmoid"


def _is_choice(statement: Statement) -> bool:
    if not isinstance(statement.op, arith.SelectOp) or statement.name == "Select":
        return False
    # Upstream makes tiles of a choice between numbers that no element has a part in.
    return not statement.in_parallel or _is_loaded(statement.op)


def _is_loaded(op: Operation) -> bool:
    parts = [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
    return isinstance(op, tl.LoadOp) or any(_is_loaded(part) for part in parts)


def _is_not_equal(statement: Statement) -> bool:
    op = statement.op
    return isinstance(op, arith.CmpfOp) and op.predicate.value.data == _NOT_EQUAL


KERNEL_RULES = (
    Rule(
        id="grid-3d",
        row="`T.Kernel` with three extents, GPU form",
        finds=_has_three_extents,
        what="has three extents",
        why="upstream takes the third index for the number of the vector core; tlcourse makes a "
        "loop inside each block of it",
        fix="multiply extents, T.Kernel(nx * ny * nz, is_npu=True), and take // and % of cid",
    ),
    Rule(
        id="threads",
        row="`T.Kernel`, GPU form, `threads=`",
        finds=_has_threads,
        what="asks for threads",
        why="upstream leaves thread indices undefined; in tlcourse there are none, as a core has "
        "no threads",
        fix="leave `threads` out, and work on tiles",
    ),
    Rule(
        id="scalar-function",
        row="`T.abs`, `T.sqrt`, `T.rsqrt`, `T.sigmoid` on a scalar",
        finds=_is_root,
        lowered=True,
        what="is computed on a scalar",
        why="upstream has code of it inside T.Parallel loops that become vector operations only; "
        "tlcourse computes it everywhere",
        fix="compute on a tile with T.vabs, T.vsqrt, T.vrsqrt or T.vsigmoid, and read the element",
    ),
    Rule(
        id="scalar-exp",
        row="`T.exp`, `T.exp2`, `T.log`, `T.log2` on a scalar",
        finds=_is_power,
        lowered=True,
        mode="Expert",
        what="is computed on a scalar",
        why="upstream has code of it in Developer mode only; tlcourse has in both modes",
        fix="compute on a tile with T.vexp or T.vln, and read the element",
    ),
    Rule(
        id="scalar-choice",
        row="`T.if_then_else` on a scalar",
        finds=_is_choice,
        lowered=True,
        what="chooses between scalars",
        why="upstream has code of it inside T.Parallel loops that become vector operations only; "
        "tlcourse computes it everywhere",
        fix="write T.Select(cond, a, b), or an `if` statement",
    ),
    Rule(
        id="not-equal",
        row="`!=` on floats",
        finds=_is_not_equal,
        lowered=True,
        what="compares floats",
        why="where one side is NaN, upstream's scalar code says that they do not differ; tlcourse "
        "says that they do, as torch",
        fix="write `a < b or a > b`, which is false for NaN in both",
    ),
)
