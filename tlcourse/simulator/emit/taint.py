"""Does control flow depend on the block, or on data? Decides which blocks form a class."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, func, scf
from xdsl.dialects import memref as xdsl_memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.core import GetBlockIdxOp, PointerCastOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import BlockFlagOp, FlagOp


def depends(functions: Iterable[func.FuncOp], source: type[Operation]) -> bool:
    """Whether control flow depends on a result of ops of one class."""
    return any(_depends(function, source) for function in functions)


def on_block(functions: Iterable[func.FuncOp]) -> bool:
    """Whether control flow depends on the block's number."""
    return depends(functions, GetBlockIdxOp)


def on_data(functions: Iterable[func.FuncOp]) -> bool:
    """Whether control flow depends on values that the kernel loads."""
    return depends(functions, xdsl_memref.LoadOp)


def _depends(function: func.FuncOp, source: type[Operation]) -> bool:
    tainted: set[SSAValue] = set()
    before = -1
    while before != len(tainted):
        before = len(tainted)
        for op in function.walk():
            _spread(op, source, tainted)
    return any(value in tainted for op in function.walk() for value in _decides(op))


def _spread(op: Operation, source: type[Operation], tainted: set[SSAValue]) -> None:
    """Taints results of tainted operands; memrefs carry what decides their place and size."""
    if isinstance(op, source) or any(operand in tainted for operand in op.operands):
        tainted.update(op.results)
    if isinstance(op, scf.ForOp):
        variable, *carried = op.body.block.args
        if any(value in tainted for value in (op.lb, op.ub, op.step)):
            tainted.add(variable)
        last = op.body.block.last_op
        assert last is not None
        for start, inner, end, result in zip(
            op.iter_args, carried, last.operands, op.results, strict=True
        ):
            if any(value in tainted for value in (start, end)):
                tainted.update((inner, result))
    if isinstance(op, scf.IfOp):
        regions = [region for region in op.regions if region.blocks]
        yields = [v for r in regions if (last := r.block.last_op) for v in last.operands]
        if op.cond in tainted or any(value in tainted for value in yields):
            tainted.update(op.results)


def _decides(op: Operation) -> Iterable[SSAValue]:
    """The values that decide which instructions are issued, on which bytes on chip."""
    match op:
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.IfOp():
            return (op.cond,)
        case FlagOp() if op.dynamic_event_id is not None:
            return (op.dynamic_event_id,)
        case BlockFlagOp() if op.dynamic_flag_id is not None:
            return (op.dynamic_flag_id,)
        case MmadL1Op():
            sizes = (op.init_condition, op.real_m, op.real_k, op.real_n)
            return (*sizes, *op.sync_related_args)
        case PointerCastOp():
            return (*op.addrs, *op.dynamic_sizes)
        case xdsl_memref.SubviewOp():
            return op.sizes if space_of(op.result) == "gm" else (*op.sizes, *op.offsets)
        case xdsl_memref.ReinterpretCastOp():
            return (*op.sizes, *op.strides)
        case arith.SelectOp() if isinstance(op.result.type, MemRefType):
            return (op.cond,)
        case _:
            return ()
