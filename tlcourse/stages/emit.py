"""Ops that executable HIVM no longer has, and ops of pipes, as calls on a core of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import memref as xdsl_memref
from xdsl.dialects import tensor
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects import memref
from tlcourse.dialects.bufferization import MaterializeInDestinationOp, ToTensorOp
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import DebugOp, PointerCastOp
from tlcourse.dialects.hivm.sync import (
    PipeBarrierOp,
    SetFlagOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    WaitFlagOp,
)
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.simulator.emit.emitter import (
    Emitter,
    dtype,
    mixed,
    shape_text,
    strides_text,
    tuple_text,
)
from tlcourse.simulator.emit.instructions import flag_text, meaning, mode_of, wait_mode
from tlcourse.simulator.emit.memrefs import groups_text, kept_dims

_SILENT = (DebugOp, SetFlagOp, WaitFlagOp, PipeBarrierOp)


def emit(e: Emitter, op: Operation) -> bool:
    """Writes an op; False where the parts that the simulator shares know it."""
    match op:
        case _ if isinstance(op, _SILENT):
            pass
        case PipeOp():
            _pipe_op(e, op)
        case SyncBlockSetOp():
            e.code.line(f"core.raise_flag({flag_text(e, op.flag)}, {mode_of(op)!r})")
        case SyncBlockWaitOp():
            call = f"core.await_flag({flag_text(e, op.flag)}, {wait_mode(op)!r})"
            e.code.line(f"yield from {call}")
        case memref.CopyOp():
            e.code.line(f"core.put({e.text(op.source)}, {e.text(op.destination)})")
        case MaterializeInDestinationOp():
            e.code.line(f"core.put({e.text(op.source)}, {e.text(op.dest)})")
        case ToTensorOp():
            e.values[op.tensor] = e.text(op.memref)
        case _:
            return _buffer(e, op) or _tensor(e, op)
    return True


def _pipe_op(e: Emitter, op: PipeOp) -> None:
    sources = list(op.sources())
    outputs: list[str] = []
    results = iter(op.results)
    for destination in op.destinations():
        text = e.text(destination)
        if isinstance(destination.type, TensorType):
            result = next(results)
            if _is_shared(destination):
                e.values[result] = text
            else:
                e.let(result, f"core.copied({text})")
            text = e.text(result)
        outputs.append(text)
    name = f"op{e.code.name()}"
    meaning(e, op, name, sources)
    operands = tuple_text([e.text(value) for value in sources])
    e.code.line(f"core.compute({name}, {operands}, {tuple_text(outputs)})")


def _is_shared(value: SSAValue) -> bool:
    """Whether a tensor stands for workspace that other cores see."""
    while isinstance(value.owner, tensor.ExtractSliceOp):
        value = value.owner.source
    return isinstance(value.owner, ToTensorOp) and value.owner.writable is not None


def _buffer(e: Emitter, op: Operation) -> bool:
    match op:
        case xdsl_memref.AllocOp():
            shape = shape_text(op.memref, [e.text(size) for size in op.dynamic_sizes])
            place = f"{dtype(e, op, op.memref)!r}, {_box(op.memref, shape)}"
            e.let(op.memref, f"core.alloc({place})")
        case AllocWorkspaceOp():
            shape = shape_text(op.result, [e.text(size) for size in op.dynamic_size])
            place = e.text(op.offset[0]) if op.offset else f"-{1 + len(e.code.lines)}"
            parts = (place, repr(_dtype(op.result)), _box(op.result, shape))
            e.let(op.result, f"core.workspace({', '.join(parts)})")
        case PointerCastOp() if len(op.addrs) > 1:
            shape = shape_text(op.result, [e.text(size) for size in op.dynamic_sizes])
            parts = (repr(space_of(op.result)), e.text(op.addrs[0]), repr(dtype(e, op, op.result)))
            e.let(op.result, f"core.buffer('', {', '.join(parts)}, {_box(op.result, shape)})")
        case _:
            return False
    return True


def _box(value: SSAValue, shape: Sequence[str]) -> str:
    return f"{tuple_text(shape)}, {tuple_text(strides_text(value, shape))}"


def _dtype(value: SSAValue) -> str:
    if isinstance(value.type, MemRefType):
        return dtype_of(cast("MemRefType[Attribute]", value.type).element_type).name
    return dtype_of(_tensor_type(value).element_type).name


def _tensor_type(value: SSAValue) -> TensorType[Attribute]:
    assert isinstance(value.type, TensorType)
    return cast("TensorType[Attribute]", value.type)


def _tensor(e: Emitter, op: Operation) -> bool:
    match op:
        case tensor.EmptyOp():
            extents = iter(e.text(size) for size in op.dynamic_sizes)
            shape = [
                next(extents) if n < 0 else str(n) for n in _tensor_type(op.tensor).get_shape()
            ]
            e.let(op.tensor, f"core.tensor({_dtype(op.tensor)!r}, {tuple_text(shape)})")
        case tensor.ExtractSliceOp():
            e.let(op.result, _slice(e, op, e.text(op.source), _tensor_type(op.result).get_shape()))
        case tensor.InsertSliceOp():
            e.let(op.result, f"core.copied({e.text(op.dest)})")
            shape = _tensor_type(op.source).get_shape()
            part = _slice(e, op, e.text(op.result), shape)
            e.code.line(f"core.put({e.text(op.source)}, {part})")
        case tensor.CollapseShapeOp():
            groups = groups_text(op.reassociation)
            e.let(op.result, f"core.copied({e.text(op.src)}).collapse({groups})")
        case tensor.ExpandShapeOp():
            sizes = mixed(op.static_output_shape, [e.text(v) for v in op.dynamic_output_shape])
            split = f"expand({groups_text(op.reassociation)}, {tuple_text(sizes)})"
            e.let(op.result, f"core.copied({e.text(op.src)}).{split}")
        case tensor.ExtractOp():
            indices = tuple_text([e.text(index) for index in op.indices])
            e.let(op.result, f"core.load(0, {e.text(op.tensor)}, {indices})")
        case tensor.InsertOp():
            indices = tuple_text([e.text(index) for index in op.indices])
            e.let(op.result, f"core.copied({e.text(op.dest)})")
            e.code.line(f"core.store(0, {e.text(op.scalar)}, {e.text(op.result)}, {indices})")
        case _:
            return False
    return True


def _slice(
    e: Emitter,
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp,
    whole: str,
    shape: Sequence[int],
) -> str:
    offsets = mixed(op.static_offsets, [e.text(v) for v in op.offsets])
    sizes = mixed(op.static_sizes, [e.text(v) for v in op.sizes])
    strides = mixed(op.static_strides, [e.text(v) for v in op.strides])
    wanted = ["?" if extent < 0 else str(extent) for extent in shape]
    dims = tuple_text([str(dim) for dim in kept_dims(sizes, wanted)])
    box = (tuple_text(offsets), tuple_text(sizes), tuple_text(strides), dims)
    return f"{whole}.subview({', '.join(box)})"
