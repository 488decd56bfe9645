"""Clean-up that several passes share: fold, inline, hoist constants, drop what nobody uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.folding import constant_of, fold


def simplify(function: func.FuncOp) -> None:
    """Applies all clean-ups until nothing changes, then gathers the constants at the top."""
    while _fold_all(function) or _inline_all(function) or _erase_dead(function):
        pass
    _hoist_constants(function)


def constant(function: func.FuncOp, number: int, kind: IndexType | IntegerType) -> SSAValue:
    """A constant at the top of the function; an equal one that stands there is used again."""
    return _constants(function.body.block).get(IntegerAttr(number, kind))


@dataclass(frozen=True)
class _Constants:
    """The constants at the top of a block, each value once."""

    block: Block
    known: dict[Attribute, SSAValue]

    def get(self, value: IntegerAttr | FloatAttr) -> SSAValue:
        if value not in self.known:
            op = arith.ConstantOp(value)
            op.result.name_hint = _constant_name(value)
            last = next(reversed(self.known.values()), None)
            place = InsertPoint.at_start(self.block)
            if last is not None:
                assert isinstance(last.owner, Operation)
                place = InsertPoint.after(last.owner)
            Rewriter.insert_op(op, place)
            self.known[value] = op.result
        return self.known[value]


def _constants(block: Block) -> _Constants:
    known: dict[Attribute, SSAValue] = {}
    for op in block.ops:
        if not isinstance(op, arith.ConstantOp) or op.value in known:
            break
        known[op.value] = op.result
    return _Constants(block, known)


def _constant_name(value: Attribute) -> str:
    if not isinstance(value, IntegerAttr):
        return "cst"
    number, kind = value.value.data, cast(Attribute, value.type)
    if kind == IntegerType(1):
        return "true" if number else "false"
    digits = f"c{number}" if number >= 0 else f"cm{-number}"
    return digits if isinstance(kind, IndexType) else f"{digits}_{kind}"


def _fold_all(function: func.FuncOp) -> bool:
    changed = False
    for op in list(function.walk()):
        folded = fold(op)
        if folded is None:
            continue
        if isinstance(folded, SSAValue):
            replace(op, [], [folded])
        else:
            known = arith.ConstantOp(folded)
            replace(op, [known])
            known.result.name_hint = _constant_name(folded)
        changed = True
    return changed


def _inline_all(function: func.FuncOp) -> bool:
    changed = False
    for op in list(function.walk()):
        if op.parent is None:
            continue
        if isinstance(op, scf.ForOp):
            changed |= _inline_for(op)
        elif isinstance(op, scf.IfOp):
            changed |= _inline_if(op)
    return changed


def _inline_for(loop: scf.ForOp) -> bool:
    lower, upper, step = (constant_of(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or step is None or lower + step < upper:
        return False
    if upper <= lower:
        replace(loop, [], list(loop.iter_args))
        return True
    _inline(loop, loop.body.block, [loop.lb, *loop.iter_args])
    return True


def _inline_if(branch: scf.IfOp) -> bool:
    condition = constant_of(branch.cond)
    if condition is None:
        return False
    region = branch.true_region if condition else branch.false_region
    if not region.blocks:
        replace(branch, [], [])
        return True
    _inline(branch, region.block, [])
    return True


def _inline(op: Operation, block: Block, arguments: list[SSAValue]) -> None:
    last = block.last_op
    assert last is not None
    # A carried value that is yielded unchanged is the block's argument itself.
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    results = [known.get(value, value) for value in last.operands]
    last.detach()
    last.erase()
    Rewriter.inline_block(block, InsertPoint.before(op), arguments)
    replace(op, [], results)


def _erase_dead(function: func.FuncOp) -> bool:
    changed = False
    for op in reversed(list(function.walk())):
        if _is_dead(op):
            op.detach()
            op.erase()
            changed = True
    return changed


def _is_dead(op: Operation) -> bool:
    if any(result.first_use for result in op.results):
        return False
    if isinstance(op, memref.AllocOp):
        return True
    if isinstance(op, (scf.ForOp, scf.IfOp)):
        inner = (inner for region in op.regions for inner in region.walk())
        return all(isinstance(inner, scf.YieldOp) for inner in inner)
    return bool(op.results) and not op.regions and is_side_effect_free(op)


def _hoist_constants(function: func.FuncOp) -> None:
    top = _constants(function.body.block)
    kept = set(top.known.values())
    for op in list(function.walk()):
        if not isinstance(op, arith.ConstantOp) or op.result in kept:
            continue
        if isinstance(op.value, IntegerAttr | FloatAttr):
            op.result.name_hint = None
            value = top.get(op.value)
            replace(op, [], [value])
