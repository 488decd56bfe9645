"""Which parameters a kernel writes, and which it leaves alone, read from its Tile IR."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.signature import function_of

_WRITE_NOTHING = (tl.RegionOp, tl.LoadOp, tl.PrintOp)


def written_parameters(tile: ModuleOp) -> tuple[str, ...]:
    """Names of the tensors in GM that the kernel may write, in order.

    Tile IR names the destination of an op last among its buffers.
    """
    function = function_of(tile)
    written = {_root(buffers[-1]) for op in function.walk() if (buffers := _destinations(op))}
    return tuple(name for name, argument in _named(function) if argument in written)


def unused_parameters(tile: ModuleOp) -> tuple[str, ...]:
    """Names of the tensors in GM that no statement of the kernel reads or writes, in order."""
    return tuple(
        name
        for name, argument in _named(function_of(tile))
        if isinstance(argument.type, MemRefType) and argument.uses.get_length() == 0
    )


def _named(function: func.FuncOp) -> list[tuple[str, BlockArgument]]:
    names = [entry.data["tl.name"] for entry in function.arg_attrs or ()]
    pairs = zip(names, function.body.block.args, strict=True)
    return [(name.data, argument) for name, argument in pairs if isinstance(name, StringAttr)]


def _destinations(op: Operation) -> list[SSAValue]:
    if isinstance(op, _WRITE_NOTHING):
        return []
    return [operand for operand in op.operands if isinstance(operand.type, MemRefType)]


def _root(value: SSAValue) -> SSAValue:
    while not isinstance(value, BlockArgument) and isinstance(value.owner, tl.RegionOp):
        value = value.owner.buffer
    return value
