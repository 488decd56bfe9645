"""Which kernels run many blocks at once: every tile then holds the tiles of `n` blocks.

A small tile costs more to call torch for than to compute. Blocks that do the same work at
different places of the tensors need not run one after another: one call serves many of them.

That holds where one core runs alone, where block ids only shift the tiles that are copied from
and to GM, and where no tensor is both read and written, so that blocks cannot meet there.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.signature import kernel_of
from tlcourse.functional.emit.access import written
from tlcourse.functional.emit.cores import cores_of
from tlcourse.functional.emit.emitter import dtype_of_buffer, loses_range
from tlcourse.functional.emit.steps import constant_of
from tlcourse.functional.emit.storage import is_name

# Measured: with more bytes in tiles a group leaves the caches, with more blocks nothing is won.
_TOGETHER_BYTES = 2_700_000
_MOST_BLOCKS = 16
# Scalars that may differ from block to block: sums and products of ids and numbers.
_SHIFTS = (
    tl.LetOp,
    tl.FloorModOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.FloorDivSIOp,
)
_VECTOR = (tl.ElementwiseOp, tl.BroadcastOp, tl.CastOp, tl.ReduceOp, tl.CumsumOp)
_ON_TILES = (*_VECTOR, tl.GemmOp)
_PLAIN = (*_ON_TILES, tl.KernelOp, tl.AllocOp, tl.ForOp, tl.CopyOp, tl.RegionOp)


def blocks_together(module: ModuleOp) -> int:
    """How many blocks to run at once; 1 where they must run one after another."""
    kernel = kernel_of(module)
    ops = list(kernel.walk())
    if len(cores_of(module)) != 1 or not any(isinstance(op, tl.ElementwiseOp) for op in ops):
        return 1
    if not _blocks_only_shift(kernel, ops) or not _blocks_stay_apart(ops):
        return 1
    (core,) = cores_of(module)
    tiles = [op for op in ops if isinstance(op, tl.AllocOp) and not is_name(op, core)]
    room = _TOGETHER_BYTES // max(1, sum(map(_bytes, tiles)))
    return _group(max(1, min(_MOST_BLOCKS, room)), _periods(kernel))


def _group(room: int, periods: list[int]) -> int:
    """The largest group that divides the periods, so that it shares what changes with them."""
    fitting = (n for n in range(room, room // 4, -1) if all(p % n == 0 for p in periods))
    return next(fitting, room)


def _periods(kernel: tl.KernelOp) -> list[int]:
    """The n of `cid // n` and `cid % n`."""
    users = [use.operation for use in kernel.body.block.args[0].uses]
    splits = [op for op in users if isinstance(op, (arith.FloorDivSIOp, tl.FloorModOp))]
    found = [constant_of(op.operands[1]) for op in splits]
    return [period for period in found if period]


def _blocks_only_shift(kernel: tl.KernelOp, ops: list[Operation]) -> bool:
    varying: set[SSAValue] = set(kernel.body.block.args[:1])
    for op in ops:
        differs = any(operand in varying for operand in op.operands)
        if not _is_known(op) or (differs and not isinstance(op, (*_SHIFTS, tl.RegionOp))):
            return False
        if differs and isinstance(op, tl.RegionOp):
            if not _shifts_in_gm(op, varying):
                return False
        elif differs:
            varying.update(op.results)
    return True


def _is_known(op: Operation) -> bool:
    """Whether an op is a scalar, or one of those that the batched code knows."""
    if isinstance(op, tl.RegionOp):
        return DYNAMIC_INDEX not in tl.memref_of(op.result).get_shape()
    if isinstance(op, tl.GemmOp):
        return dtype_of_buffer(op.c) == "float32"
    if isinstance(op, tl.CopyOp):
        return op.relu is None and not _converts_in_gm(op)
    if isinstance(op, _ON_TILES) and any(map(_is_gm, op.operands)):
        return False
    scalar = not any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results))
    return isinstance(op, _PLAIN) or (scalar and bool(op.results)) or isinstance(op, scf.YieldOp)


def _shifts_in_gm(op: tl.RegionOp, varying: set[SSAValue]) -> bool:
    return _is_gm(op.buffer) and all(size not in varying for size in op.sizes)


def _converts_in_gm(op: tl.CopyOp) -> bool:
    """Whether a copy from or to GM needs more than torch's own conversion."""
    if not _is_gm(op.src) and not _is_gm(op.dst):
        return False
    return loses_range(dtype_of_buffer(op.src), dtype_of_buffer(op.dst))


def _blocks_stay_apart(ops: list[Operation]) -> bool:
    """Whether no tensor in GM is both read and written."""
    reads, writes = set[SSAValue](), set[SSAValue]()
    for op in ops:
        if isinstance(op, tl.CopyOp):
            reads.add(_root(op.src))
        target = written(op)
        if target is not None:
            writes.add(_root(target))
    return not any(isinstance(tensor, BlockArgument) for tensor in reads & writes)


def _bytes(op: tl.AllocOp) -> int:
    kind = tl.memref_of(op.result)
    # Half precision tiles have a float32 twin where they are multiplied.
    return prod(kind.get_shape()) * max(4, dtype_of(kind.element_type).bits // 8)


def _is_gm(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and isinstance(_root(value), BlockArgument)


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, tl.RegionOp):
        value = value.owner.buffer
    return value
