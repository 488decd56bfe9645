"""Which tensors in GM a kernel reads and writes, by the place of the function's argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import func, scf
from xdsl.dialects import memref as xdsl_memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.simulator.emit.emitter import memref


def gm_uses(functions: Iterable[func.FuncOp]) -> dict[str, str]:
    """`{"3": "r", "5": "rw"}`: how each argument is used; an absent one is not touched."""
    found: dict[int, set[str]] = {}
    for function in functions:
        for op in function.walk():
            for value, access in _accesses(op):
                for place in _roots(value, function):
                    found.setdefault(place, set()).add(access)
    return {str(place): "".join(sorted(found[place])) for place in sorted(found)}


def smallest_view_bytes(functions: Iterable[func.FuncOp]) -> int:
    """Bytes of the narrowest element in which the workspace is seen."""
    widths = [
        dtype_of(memref(op.result).element_type).bits // 8
        for function in functions
        for op in function.walk()
        if isinstance(op, xdsl_memref.ViewOp)
    ]
    return min(widths, default=1)


def _accesses(op: Operation) -> Iterator[tuple[SSAValue, str]]:
    match op:
        case PipeOp():
            yield from ((value, "r") for value in op.sources())
            yield from ((value, "w") for value in op.destinations())
            if op.reads_destination():
                yield from ((value, "r") for value in op.destinations())
        case xdsl_memref.LoadOp():
            yield op.memref, "r"
        case xdsl_memref.StoreOp():
            yield op.memref, "w"
        case _:
            return


def _roots(value: SSAValue, function: func.FuncOp) -> set[int]:
    """The arguments that a memref in GM may come from."""
    if not isinstance(value.type, MemRefType) or space_of(value) not in ("gm", ""):
        return set()
    found: set[int] = set()
    open_values, seen = [value], set[SSAValue]()
    while open_values:
        current = open_values.pop()
        if current in seen or not isinstance(current.type, MemRefType):
            continue
        seen.add(current)
        if isinstance(current, BlockArgument) and current.owner is function.body.block:
            found.add(current.index)
        open_values += _behind(current)
    return found


def _behind(value: SSAValue) -> list[SSAValue]:
    """The values that a memref is made from."""
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        if not isinstance(loop, scf.ForOp) or value.index == 0:
            return []
        last = loop.body.block.last_op
        assert last is not None
        return [loop.iter_args[value.index - 1], last.operands[value.index - 1]]
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, (scf.ForOp, scf.IfOp)):
        lasts = [r.block.last_op for r in op.regions if r.blocks]
        place = op.results.index(value)
        starts = [op.iter_args[place]] if isinstance(op, scf.ForOp) else []
        return [*starts, *(last.operands[place] for last in lasts if last is not None)]
    return list(op.operands)
