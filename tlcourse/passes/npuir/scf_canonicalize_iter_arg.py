"""scf-canonicalize-iter-arg: loops stop carrying what nobody needs.

```
%r = scf.for .. iter_args(%t = %e) {          scf.for .. {
  %n = vadd ins(%t, %x) ..             -->    }
  scf.yield %n
}                      // %r is not read
```

After the split of a mixed kernel each core still carries the other one's tiles through its
loops, although nothing on this core reads them.

Algorithm: what has an effect (a store, a flag, an op on buffers) is needed, and so is what
it is computed from. A carried value is needed where the loop's result is, or where its value
at the start of a trip is; then what the trip yields for it is needed too. The rest goes.

Differs from upstream: there a second rule also replaces values that a loop passes on
unchanged; canonicalisation does that here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.passes.npuir.carried import keep_carried, keep_yielded
from tlcourse.passes.npuir.cube_vector import erase_unused, is_plain
from tlcourse.passes.npuir.functions import device_functions


@dataclass(frozen=True)
class ScfCanonicalizeIterArgPass(ModulePass):
    """Drops carried and yielded values that nothing with an effect depends on."""

    name = "scf-canonicalize-iter-arg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in device_functions(op):
            drop_unneeded(function)


def drop_unneeded(function: func.FuncOp) -> None:
    """Rebuilds the loops and branches of a function without values that nobody needs."""
    needed = _Needed()
    needed.trace(function)
    # Readers stand behind what they read, and the body of a loop behind its head.
    for op in reversed(list(function.walk())):
        if isinstance(op, scf.ForOp | scf.IfOp):
            _rebuild(op, needed)
        elif is_plain(op) and op.results and not needed.values.intersection(op.results):
            op.detach()
            op.erase(safe_erase=False)
    erase_unused(function.body)


@dataclass
class _Needed:
    """The values that something with an effect depends on."""

    values: set[SSAValue] = field(default_factory=lambda: set[SSAValue]())
    todo: list[SSAValue] = field(default_factory=lambda: list[SSAValue]())

    def trace(self, function: func.FuncOp) -> None:
        for op in function.walk():
            if isinstance(op, scf.ForOp):
                self.need(op.lb, op.ub, op.step)
            elif isinstance(op, scf.IfOp):
                self.need(op.cond)
            elif op is not function and not isinstance(op, scf.YieldOp) and not is_plain(op):
                self.need(*op.operands)
        while self.todo:
            self._follow(self.todo.pop())

    def need(self, *values: SSAValue) -> None:
        fresh = [value for value in values if value not in self.values]
        self.values.update(fresh)
        self.todo += fresh

    def _follow(self, value: SSAValue) -> None:
        owner = value.owner
        if isinstance(owner, Block):
            self._argument(owner.parent_op(), value)
        elif isinstance(owner, scf.ForOp):
            self._carried(owner, owner.results.index(value))
        elif isinstance(owner, scf.IfOp):
            index = owner.results.index(value)
            self.need(*(end.operands[index] for end in _ends(owner)))
        else:
            self.need(*owner.operands)
            self.need(*(operand for inner in owner.walk() for operand in inner.operands))

    def _argument(self, parent: Operation | None, value: SSAValue) -> None:
        assert isinstance(value, BlockArgument)
        if isinstance(parent, scf.ForOp) and value.index > 0:
            self._carried(parent, value.index - 1)

    def _carried(self, loop: scf.ForOp, index: int) -> None:
        argument, (end,) = loop.body.block.args[index + 1], _ends(loop)
        self.need(loop.results[index], argument, loop.iter_args[index], end.operands[index])


def _ends(op: Operation) -> list[Operation]:
    """The yields of a loop or a branch."""
    ends = [block.last_op for region in op.regions for block in region.blocks]
    return [end for end in ends if end is not None]


def _rebuild(op: scf.ForOp | scf.IfOp, needed: _Needed) -> None:
    kept = [index for index, result in enumerate(op.results) if result in needed.values]
    if len(kept) == len(op.results):
        return
    if isinstance(op, scf.ForOp):
        keep_carried(op, kept)
    else:
        keep_yielded(op, kept)
