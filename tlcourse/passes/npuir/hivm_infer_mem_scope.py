"""hivm-infer-mem-scope: every buffer learns the memory that it lives in.

```
%b = memref.alloc() : memref<64x256xf32>
-->
%b = memref.alloc() : memref<64x256xf32, #hivm.address_space<ub>>
```

Arguments and the workspace are global memory (gm). A buffer that a matrix op multiplies lies
in L1 (cbuf), one that it adds into in L0C (cc), all others in UB (ub). Views and casts follow
their source. Buffers that already have a memory keep it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tlcourse.diagnostics import error
from tlcourse.dialects.hivm.attrs import AddressSpaceAttr
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.custom import CustomBaseOp
from tlcourse.dialects.hivm.dma import FixpipeOp, ND2NZOp
from tlcourse.dialects.hivm.macros import CubeMacroOp, GlobalMatmulOp
from tlcourse.dialects.memref import CastOp, type_of
from tlcourse.dialects.memref_ext import AllocWorkspaceOp

_BOUNDS = 3  # operands of a loop in front of those that it carries
_CARRIERS = (scf.ForOp, scf.WhileOp, scf.ConditionOp, scf.YieldOp)

_VIEWS = (
    memref.SubviewOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ViewOp,
    CastOp,
    BitcastOp,
    arith.SelectOp,
)


@dataclass(frozen=True)
class HivmInferMemScopePass(ModulePass):
    """Writes address spaces into the types of all buffers."""

    name = "hivm-infer-mem-scope"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            if function.body.blocks:
                _infer(function)


def _infer(function: func.FuncOp) -> None:
    for argument in function.body.block.args:
        _set(argument, "gm")
    for op in list(function.walk()):
        if isinstance(op, AllocWorkspaceOp):
            _set(op.result, "gm")
        elif isinstance(op, memref.AllocOp):
            _set(op.memref, _space(op))
        elif isinstance(op, CustomBaseOp) and op.is_distributed():
            for result in op.results:
                _set(result, "gm")
    inputs = [argument.type for argument in function.body.block.args]
    last = function.body.block.last_op
    outputs = [value.type for value in last.operands] if last is not None else []
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)


def _space(alloc: memref.AllocOp) -> str:
    spaces = sorted({space for use in _uses(alloc.memref) if (space := _space_by_use(use))})
    if len(spaces) > 1:
        name = alloc.memref.name_hint or "a buffer"
        raise error(
            "TL331",
            f"{name} is needed in L1 and in L0C at once",
            why="one matrix op multiplies the tile and another one adds into it; L0C feeds no "
            "matrix op",
            fix="copy the tile into a buffer of its own before it is multiplied",
        )
    return spaces[0] if spaces else "ub"


def _space_by_use(use: Use) -> str | None:
    op = use.operation
    if isinstance(op, MmadL1Op | CubeMacroOp) and not isinstance(op, GlobalMatmulOp):
        return "cc" if use.index == _place_of_sum(op) else "cbuf"
    if isinstance(op, FixpipeOp) and use.index == 0:
        return "cc"
    if isinstance(op, ND2NZOp) and use.index == 1:
        return "cbuf"
    return None


def _place_of_sum(op: MmadL1Op | CubeMacroOp) -> int:
    """The position of the operand that a matrix op adds into."""
    total = op.destinations()[0]
    return max(index for index, value in enumerate(op.operands) if value is total)


def _uses(value: SSAValue) -> list[Use]:
    """What is done with a buffer, under whatever name."""
    found: list[Use] = []
    seen, waiting = {value}, [value]
    while waiting:
        for use in waiting.pop().uses:
            same = _same_buffer(use)
            if not same:
                found.append(use)
            waiting += [name for name in same if name not in seen]
            seen.update(same)
    return found


def _set(value: SSAValue, space: str) -> None:
    """Gives a buffer, all views of it and all values that carry it their memory."""
    if not isinstance(value.type, MemRefType):
        return
    kind = type_of(value)
    if kind.memory_space == NoneAttr():
        typed = MemRefType(
            kind.element_type, kind.get_shape(), kind.layout, AddressSpaceAttr(space)
        )
        value = Rewriter.replace_value_with_new_type(value, typed)
    for use in list(value.uses):
        for place in range(len(_same_buffer(use))):
            # Looked up anew: the one before may have come round to this one and renewed it.
            same = _same_buffer(use)[place]
            if not isinstance(use.operation, _CARRIERS) or _is_open(same):
                _set(same, space)


def _is_open(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and value.type.memory_space == NoneAttr()


def _same_buffer(use: Use) -> tuple[SSAValue, ...]:
    """The values that lie where the used one lies: views, and what loops and branches carry."""
    op = use.operation
    if isinstance(op, _VIEWS):
        return (op.results[0],)
    if isinstance(op, scf.ForOp) and use.index >= _BOUNDS:
        index = use.index - _BOUNDS
        return (op.body.block.args[index + 1], op.results[index])
    if isinstance(op, scf.WhileOp):
        return (op.before_region.block.args[use.index],)
    if isinstance(op, scf.ConditionOp) and use.index > 0:
        loop = op.parent_op()
        assert isinstance(loop, scf.WhileOp)
        return (loop.after_region.block.args[use.index - 1], loop.results[use.index - 1])
    if isinstance(op, scf.YieldOp):
        return _yielded(op.parent_op(), use.index)
    return ()


def _yielded(around: Operation | None, index: int) -> tuple[SSAValue, ...]:
    if isinstance(around, scf.ForOp):
        return (around.body.block.args[index + 1], around.results[index])
    if isinstance(around, scf.WhileOp):
        return (around.before_region.block.args[index],)
    return (around.results[index],) if around is not None else ()
