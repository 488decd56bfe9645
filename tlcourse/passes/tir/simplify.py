"""Simplify: folds constants and takes away names that only stand for integers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i1, i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.folding import constant_of, fold

# a > b is b < a; the number is the predicate that an arith comparison holds.
_SWAPPED_INTEGER = {4: "slt", 5: "sle", 8: "ult", 9: "ule"}
_SWAPPED_FLOAT = {2: "olt", 3: "ole"}


@dataclass(frozen=True)
class SimplifyPass(ModulePass):
    """Folds index arithmetic, removes lets of integers, turns `>` into `<`.

    ```mlir
    %bx = tl.let "bx" = %0 : i32 -> i32
    %1 = arith.addi %bx, %c0 : i32
    %2 = arith.cmpi sgt, %1, %n : i32
    -->
    %2 = arith.cmpi slt, %n, %0 : i32
    ```

    A let goes when its value is a constant, a plain variable or an integer expression without
    loads. Lets of floats, conditions and loaded elements stay: the value is computed where it is
    named.
    """

    name = "Simplify"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        while _sweep(op):
            pass


def _sweep(module: ModuleOp) -> bool:
    changed = False
    for op in list(module.walk()):
        if op.parent is not None:
            changed |= _simplify(op)
    return changed


def _simplify(op: Operation) -> bool:
    if isinstance(op, tl.LetOp):
        return _remove_let(op)
    if isinstance(op, scf.IfOp):
        return _decide(op)
    if isinstance(op, (arith.CmpiOp, arith.CmpfOp)) and _swap(op):
        return True
    found = _fold_floor_mod(op) if isinstance(op, tl.FloorModOp) else fold(op)
    if found is None:
        return False
    if isinstance(found, SSAValue):
        replace(op, [], [found])
        return True
    constant = arith.ConstantOp(found)
    constant.result.name_hint = f"c{found.value.data}" if found.value.data >= 0 else None
    replace(op, [constant])
    return True


def _remove_let(let: tl.LetOp) -> bool:
    if not is_inlined(let.value):
        return False
    value = let.value
    hint = value.name_hint or let.result.name_hint
    replace(let, [], [value])
    value.name_hint = hint
    return True


def is_inlined(value: SSAValue) -> bool:
    """Whether a let of this value is put in place of its name."""
    if isinstance(value, BlockArgument) or isinstance(value.owner, arith.ConstantOp):
        return True
    return isinstance(value.type, IntegerType) and value.type != i1 and not _loads(value)


def _loads(value: SSAValue) -> bool:
    op = value.owner
    if isinstance(op, Block):
        return False
    return isinstance(op, tl.LoadOp) or any(_loads(operand) for operand in op.operands)


def _swap(op: arith.CmpiOp | arith.CmpfOp) -> bool:
    number = op.predicate.value.data
    if isinstance(op, arith.CmpiOp) and number in _SWAPPED_INTEGER:
        replace(op, [arith.CmpiOp(op.rhs, op.lhs, _SWAPPED_INTEGER[number])])
        return True
    if isinstance(op, arith.CmpfOp) and number in _SWAPPED_FLOAT:
        replace(op, [arith.CmpfOp(op.rhs, op.lhs, _SWAPPED_FLOAT[number])])
        return True
    return False


def _fold_floor_mod(op: tl.FloorModOp) -> IntegerAttr | None:
    a, b = constant_of(op.lhs), constant_of(op.rhs)
    if b == 1:
        return IntegerAttr(0, i32)
    return IntegerAttr(a % b, i32) if a is not None and b else None


def _decide(branch: scf.IfOp) -> bool:
    """Puts the branch that a constant condition takes in place of the `if`."""
    condition = constant_of(branch.cond)
    if condition is None or branch.results:
        return False
    region = branch.true_region if condition else branch.false_region
    ops = [op for block in region.blocks for op in block.ops if not isinstance(op, scf.YieldOp)]
    for op in ops:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(branch))
    replace(branch, [], [])
    return True
