"""Buffers in LLVM's words: a buffer is the address of its first element, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, MemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects.memref import CopyOp
from tlcourse.passes.mlir.refusals import no_way_down
from tlcourse.passes.npuir.buffers import is_contiguous, size_bytes

PASS = "convert-to-llvm"
POINTER = llvm.LLVMPointerType()
# The functions of the C library that the results call, with their types.
LIBRARY = {
    "malloc": llvm.LLVMFunctionType([i64], POINTER),
    "free": llvm.LLVMFunctionType([POINTER], llvm.LLVMVoidType()),
    "memcpy": llvm.LLVMFunctionType([POINTER, POINTER, i64], POINTER),
}


def memory_ops(op: Operation) -> Sequence[Operation] | None:
    """What an op of memref becomes; None where it is none of these.

    Raises:
        TL360: the buffer is not one piece of memory of a size that is known.
    """
    match op:
        case memref.AllocOp():
            return _call("malloc", _constant(_bytes(op, op.memref)))
        case memref.DeallocOp():
            return _call("free", op.memref)
        case CopyOp():
            size = _constant(min(_bytes(op, op.source), _bytes(op, op.destination)))
            return _call("memcpy", op.destination, op.source, size)
        case memref.LoadOp():
            place = _address(op, op.memref, op.indices)
            return [*place, llvm.LoadOp(place[-1].results[0], op.res.type)]
        case memref.StoreOp():
            place = _address(op, op.memref, op.indices)
            return [*place, llvm.StoreOp(op.value, place[-1].results[0])]
        case _:
            return None


def _call(name: str, *arguments: SSAValue | Operation) -> list[Operation]:
    made = [one for one in arguments if isinstance(one, Operation)]
    kind = LIBRARY[name].output
    result = None if isinstance(kind, llvm.LLVMVoidType) else kind
    return [*made, llvm.CallOp(name, *arguments, return_type=result)]


def _address(op: Operation, buffer: SSAValue, indices: Sequence[SSAValue]) -> list[Operation]:
    """The address of an element, row after row; the last op makes it."""
    strides = _kind(op, buffer).get_strides()
    assert strides is not None
    made: list[Operation] = []
    total: SSAValue | None = None
    for index, stride in zip(indices, strides, strict=True):
        part = index
        if stride != 1:
            factor = _constant(stride)
            product = llvm.MulOp(index, factor.results[0])
            made += [factor, product]
            part = product.results[0]
        if total is None:
            total = part
        else:
            made.append(llvm.AddOp(total, part))
            total = made[-1].results[0]
    if total is None:
        made.append(_constant(0))
        total = made[-1].results[0]
    element = _kind(op, buffer).element_type
    place = llvm.GEPOp(buffer, [llvm.GEP_USE_SSA_VAL], element, [total])
    return [*made, place]


def _constant(value: int | None) -> llvm.ConstantOp:
    assert value is not None
    return llvm.ConstantOp(IntegerAttr(value, i64), i64)


def _bytes(op: Operation, buffer: SSAValue) -> int:
    return size_bytes(_kind(op, buffer))


def _kind(op: Operation, buffer: SSAValue) -> MemRefType:
    kind = cast("MemRefType[Attribute]", buffer.type)
    if not is_contiguous(kind) or not isinstance(kind.element_type, FixedBitwidthType):
        why = f"an address is computed for buffers in one piece of fixed extents, not for {kind}"
        raise no_way_down(op, PASS, why, "write a number for each `?`, and no strides")
    return kind
