"""hivm-normalize-matmul: every matrix op starts from an empty accumulator.

The cube core can add to what its own L0C tile holds, but it cannot read a tile that the
vector cores made. A matrix op whose accumulator comes from elsewhere is therefore split:
the product starts from nothing, and a vector add joins it with the old value.

```
%r = mmadL1 ins(%a, %b, %false, ..) outs(%acc)   // %acc made by a vector op
-->
%p = mmadL1 ins(%a, %b, %true, ..) outs(%empty)
%r = vadd ins(%p, %acc) outs(%empty)
```

An accumulator that is empty, or that a loop carries from one matrix op to the next starting
empty, stays: the product then lives in L0C for the whole loop. A product that starts from
nothing gets an empty accumulator, whatever tile it was written over.

Differs from upstream: sizes that are constants already are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import BlockArgument, SSAValue, Use
from xdsl.passes import ModulePass

from tlcourse.dialects.hivm import vector
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.passes.npuir.cube_vector import empty_like

_BOUNDS = 3  # operands of a loop in front of those that it carries


@dataclass(frozen=True)
class HivmNormalizeMatmulPass(ModulePass):
    """Splits matrix ops that add to a value from outside L0C."""

    name = "hivm-normalize-matmul"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for mmad in [inner for inner in op.walk() if isinstance(inner, MmadL1Op)]:
            if mmad.results and not stays_in_l0c(mmad):
                _split(mmad)
            elif mmad.results and not _is_cube_made(mmad.c):
                _forget(mmad)


def stays_in_l0c(mmad: MmadL1Op) -> bool:
    """Whether the accumulator is the cube core's own: empty, or carried from product to product."""
    if constant_bool(mmad.init_condition) is True:
        return True
    return _is_cube_made(mmad.c)


def adds_to(use: Use) -> bool:
    """Whether a matrix op, or a loop of such, adds to a product in L0C and does nothing else."""
    op = use.operation
    if isinstance(op, scf.ForOp):
        return use.index >= _BOUNDS and _only_accumulates(op, use.index - _BOUNDS)
    value = op.operands[use.index]
    way = op.parent_op()
    if isinstance(op, scf.YieldOp) and isinstance(way, scf.IfOp):
        return _is_sum(way.results[use.index], value)
    return isinstance(op, MmadL1Op) and op.c is value and value not in (op.a, op.b)


def keeps_product(branch: scf.IfOp, index: int, made: SSAValue) -> bool:
    """Whether an `if` yields a product on one side and on the other what it started from."""
    while isinstance(made.owner, MmadL1Op):
        made = made.owner.c
    return _is_sum(branch.results[index], made)


def constant_bool(value: SSAValue) -> bool | None:
    """The value of a constant condition, None where it is known only at run time."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data != 0
    return None


def _is_cube_made(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, (tensor.EmptyOp, MmadL1Op)):
        return True
    if isinstance(owner, scf.ForOp):
        index = owner.results.index(value)
        return _is_carried_product(owner, index)
    if not isinstance(value, BlockArgument):
        return False
    loop = value.block.parent_op()
    return isinstance(loop, scf.ForOp) and _is_carried_product(loop, value.index - 1)


def _is_carried_product(loop: scf.ForOp, index: int) -> bool:
    return _only_accumulates(loop, index) and _is_cube_made(loop.iter_args[index])


def _only_accumulates(loop: scf.ForOp, index: int) -> bool:
    """Whether matrix ops, and loops of such, add to a carried value and nobody else reads it."""
    yielded = loop.body.block.last_op
    assert isinstance(yielded, scf.YieldOp)
    carried = loop.body.block.args[index + 1]
    return _is_sum(yielded.operands[index], carried) and all(adds_to(use) for use in carried.uses)


def _is_sum(made: SSAValue, carried: SSAValue) -> bool:
    """Whether a value is the carried product with more added to it, on each way."""
    owner = made.owner
    if isinstance(owner, scf.IfOp):
        index = owner.results.index(made)
        ways = [region.block.last_op for region in owner.regions if region.blocks]
        ends = [way.operands[index] for way in ways if way is not None]
        return all(end is carried or _is_sum(end, carried) for end in ends)
    if isinstance(owner, scf.ForOp):
        return _only_accumulates(owner, owner.results.index(made))
    return isinstance(owner, MmadL1Op)


def _forget(mmad: MmadL1Op) -> None:
    """A product that starts from nothing does not hang on the tile it is written over."""
    nothing = empty_like(mmad.c)
    insert_before(mmad, [nothing])
    mmad.operands = [nothing.tensor if value is mmad.c else value for value in mmad.operands]


def _split(mmad: MmadL1Op) -> None:
    true = arith.ConstantOp(IntegerAttr(1, i1))
    nothing, out = empty_like(mmad.c), empty_like(mmad.c)
    product = MmadL1Op(
        mmad.a,
        mmad.b,
        true.result,
        (mmad.real_m, mmad.real_k, mmad.real_n),
        nothing.tensor,
        a_transpose=mmad.a_transpose is not None,
        b_transpose=mmad.b_transpose is not None,
    )
    total = vector.ELEMENTWISE["vadd"]([product.results[0], mmad.c], out.tensor)
    keep_old = constant_bool(mmad.init_condition)
    if keep_old is False:
        replace(mmad, [true, nothing, product, out, total])
        return
    chosen = arith.SelectOp(mmad.init_condition, product.results[0], total.results[0])
    replace(mmad, [true, nothing, product, out, total, chosen])
