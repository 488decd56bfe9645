"""Ops that make, read or write arrays and memory: tensor, linalg, memref, and their llvm twins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
from xdsl.dialects import llvm, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    ShapedType,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation

from tlcourse.dialects.memref import CopyOp
from tlcourse.stages.mlir.faults import no_meaning, outside
from tlcourse.stages.mlir.values import (
    Address,
    Array,
    Value,
    dtype,
    element_dtype,
    memory,
    unwritten,
)

if TYPE_CHECKING:
    from tlcourse.stages.mlir.machine import Frame


def run_memory_op(frame: Frame, op: Operation, values: Sequence[Value]) -> list[Value] | None:
    """Carries out an op; None where it is none of these."""
    match op:
        case tensor.EmptyOp() | memref.AllocOp():
            return [_fresh(frame, op)]
        case memref.DeallocOp():
            return []
        case LinalgStructuredOperation():
            return list(_structured(frame, op, values))
        case CopyOp():
            _array(values[1])[...] = _array(values[0])
            return []
        case memref.LoadOp():
            return [_array(values[0])[_indices(frame, op, _array(values[0]), values[1:])]]
        case memref.StoreOp():
            place = _array(values[1])
            place[_indices(frame, op, place, values[2:])] = _number(values[0])
            return []
        case llvm.GEPOp():
            return [_moved(frame, op, values)]
        case llvm.LoadOp():
            return [_cell(frame, op, values[0], op.dereferenced_value.type)[0]]
        case llvm.StoreOp():
            _cell(frame, op, values[1], op.value.type)[0] = _number(values[0])
            return []
        case llvm.CallOp():
            return _library(frame, op, values)
        case _:
            return None


def constant_array(value: DenseIntOrFPElementsAttr, kind: Attribute) -> Array:
    """The array of a constant tensor."""
    shape = cast("ShapedType", kind).get_shape()
    elements = np.array(value.get_values(), element_dtype(kind))
    return elements.reshape(shape) if elements.size > 1 else np.full(shape, elements[0])


def _fresh(frame: Frame, op: Operation) -> Array:
    kind = op.results[0].type
    number = element_dtype(kind)
    shape = cast("ShapedType", kind).get_shape()
    if number is None or DYNAMIC_INDEX in shape:
        why = f"{kind} has no numbers of fixed extents"
        raise no_meaning(op, frame.sources, why)
    return unwritten(shape, number)


def _structured(
    frame: Frame, op: LinalgStructuredOperation, values: Sequence[Value]
) -> Sequence[Array]:
    """Every point of the loop nest that the maps and iterators stand for."""
    maps = [one.data for one in op.get_indexing_maps()]
    inputs = values[: len(op.inputs)]
    outputs = [_array(one) for one in values[len(op.inputs) :]]
    if op.results:
        outputs = [one.copy() for one in outputs]
    operands = [*inputs, *outputs]
    for point in product(*(range(extent) for extent in op.get_static_loop_ranges())):
        places = [tuple(one.eval(point, ())) for one in maps]
        elements = [
            one[place] if isinstance(one, np.ndarray) else one
            for one, place in zip(operands, places, strict=True)
        ]
        made = frame.region(op.body, elements, point)
        for output, place, value in zip(outputs, places[len(inputs) :], made, strict=True):
            output[place] = _number(value)
    return outputs if op.results else ()


def _array(value: Value) -> Array:
    assert isinstance(value, np.ndarray), "the verifier lets no other type pass"
    return value


def _number(value: Value) -> np.generic:
    assert isinstance(value, np.generic), "the verifier lets no other type pass"
    return value


def _indices(
    frame: Frame, op: Operation, buffer: Array, values: Sequence[Value]
) -> tuple[int, ...]:
    place = tuple(int(cast("np.int64", one)) for one in values)
    if not all(0 <= at < extent for at, extent in zip(place, buffer.shape, strict=True)):
        shape = "x".join(map(str, buffer.shape))
        what = f"there is no element {list(place)} in a buffer of {shape}"
        raise outside(op, frame.sources, what)
    return place


def _moved(frame: Frame, op: llvm.GEPOp, values: Sequence[Value]) -> Address:
    number = dtype(op.elem_type)
    fixed = list(op.rawConstantIndices.iter_values())
    start = values[0]
    if number is None or len(fixed) != 1 or not isinstance(start, Address):
        raise no_meaning(op, frame.sources)
    steps = int(cast("np.int64", values[1])) if len(values) > 1 else int(fixed[0])
    return start.moved(steps * number.itemsize)


def _cell(frame: Frame, op: Operation, place: Value, kind: Attribute) -> Array:
    number = dtype(kind)
    if number is None or not isinstance(place, Address):
        raise no_meaning(op, frame.sources)
    found = place.bytes(number.itemsize)
    if found is None:
        first, size = place.offset_bytes, place.memory.size
        raise outside(op, frame.sources, f"byte {first} is touched, and the buffer has {size}")
    return found.view(number)


def _library(frame: Frame, op: llvm.CallOp, values: Sequence[Value]) -> list[Value]:
    name = "" if op.callee is None else op.callee.string_value()
    match name, *values:
        case "malloc", np.integer() as size:
            return [Address(memory(int(size)))]
        case "free", Address():
            return []
        case "memcpy", Address() as target, Address() as source, np.integer() as size:
            old, new = source.bytes(int(size)), target.bytes(int(size))
            if old is None or new is None:
                raise outside(op, frame.sources, f"{int(size)} bytes do not lie in both buffers")
            new[:] = old
            return [target]
        case _:
            return frame.call(op, name, values)
