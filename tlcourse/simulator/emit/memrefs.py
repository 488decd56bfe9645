"""Memref ops as calls on tiles."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import memref as xdsl_memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects import memref
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.simulator.emit.emitter import (
    Emitter,
    dtype,
    mixed,
    shape_text,
    strides_text,
    tuple_text,
)


def emit(e: Emitter, op: Operation) -> bool:
    """Writes an op that makes or touches a memref; False where the op is none."""
    match op:
        case PointerCastOp():
            _pointer_cast(e, op)
        case xdsl_memref.ReinterpretCastOp():
            _reinterpret_cast(e, op)
        case xdsl_memref.SubviewOp():
            _subview(e, op)
        case xdsl_memref.CollapseShapeOp():
            groups = groups_text(op.reassociation)
            e.let(op.result, f"{e.text(op.src)}.collapse({groups})")
        case xdsl_memref.ExpandShapeOp():
            _expand_shape(e, op)
        case xdsl_memref.ViewOp():
            _view(e, op)
        case BitcastOp():
            e.let(op.result, f"{e.text(op.src)}.bitcast({dtype(e, op, op.result)!r})")
        case memref.CastOp():
            e.values[op.dest] = e.text(op.source)
        case xdsl_memref.MemorySpaceCastOp():
            e.values[op.dest] = e.text(op.source)
        case xdsl_memref.DimOp():
            e.let(op.result, f"{e.text(op.source)}.sizes[{e.text(op.index)}]")
        case xdsl_memref.ExtractStridedMetaDataOp():
            _metadata(e, op)
        case xdsl_memref.LoadOp():
            _load(e, op)
        case xdsl_memref.StoreOp():
            _store(e, op)
        case _:
            return False
    return True


def _pointer_cast(e: Emitter, op: PointerCastOp) -> None:
    if len(op.addrs) != 1:
        raise e.unknown(op, "a buffer with several addresses is not executable yet")
    shape = shape_text(op.result, [e.text(size) for size in op.dynamic_sizes])
    parts = [
        repr(e.names.get(op.result, "")),
        repr(space_of(op.result)),
        e.text(op.addrs[0]),
        repr(dtype(e, op, op.result)),
        tuple_text(shape),
        tuple_text(strides_text(op.result, shape)),
    ]
    e.let(op.result, f"core.buffer({', '.join(parts)})")


def _reinterpret_cast(e: Emitter, op: xdsl_memref.ReinterpretCastOp) -> None:
    offsets = mixed(op.static_offsets, [e.text(v) for v in op.offsets])
    sizes = mixed(op.static_sizes, [e.text(v) for v in op.sizes])
    strides = mixed(op.static_strides, [e.text(v) for v in op.strides])
    offset = offsets[0] if offsets else "0"
    call = f"reinterpret({offset}, {tuple_text(sizes)}, {tuple_text(strides)})"
    e.let(op.result, f"{e.text(op.source)}.{call}")


def _metadata(e: Emitter, op: xdsl_memref.ExtractStridedMetaDataOp) -> None:
    source = e.text(op.source)
    # The base is only ever taken up by a reinterpret_cast, which starts from the buffer itself.
    e.values[op.base_buffer] = source
    e.let(op.offset, f"{source}.place_in_base")
    for dim, (size, stride) in enumerate(zip(op.sizes, op.strides, strict=True)):
        e.let(size, f"{source}.sizes[{dim}]")
        e.let(stride, f"{source}.strides[{dim}]")


def _subview(e: Emitter, op: xdsl_memref.SubviewOp) -> None:
    offsets = mixed(op.static_offsets, [e.text(v) for v in op.offsets])
    sizes = mixed(op.static_sizes, [e.text(v) for v in op.sizes])
    strides = mixed(op.static_strides, [e.text(v) for v in op.strides])
    dims = tuple_text([str(dim) for dim in kept_dims(sizes, shape_of(op.result))])
    boxes = (tuple_text(offsets), tuple_text(sizes), tuple_text(strides))
    parts = (*boxes, dims, str(e.span(op)))
    e.let(op.result, f"{e.text(op.source)}.subview({', '.join(parts)})")


def kept_dims(sizes: list[str], result: list[str]) -> list[int]:
    """Which dimensions of a rank-reducing subview stay: extents of 1 that lack in the result."""
    kept: list[int] = []
    surplus = len(sizes) - len(result)
    for dim, size in enumerate(sizes):
        wanted = result[len(kept)] if len(kept) < len(result) else ""
        if surplus and size == "1" and wanted != "1":
            surplus -= 1
            continue
        kept.append(dim)
    return kept


def _expand_shape(e: Emitter, op: xdsl_memref.ExpandShapeOp) -> None:
    sizes = mixed(op.static_output_shape, [e.text(v) for v in op.output_shape])
    groups = groups_text(op.reassociation)
    e.let(op.result, f"{e.text(op.src)}.expand({groups}, {tuple_text(sizes)})")


def _view(e: Emitter, op: xdsl_memref.ViewOp) -> None:
    shape = shape_text(op.result, [e.text(size) for size in op.sizes])
    parts = [
        e.text(op.byte_shift),
        repr(dtype(e, op, op.result)),
        tuple_text(shape),
        tuple_text(strides_text(op.result, shape)),
    ]
    e.let(op.result, f"{e.text(op.source)}.bytes_as({', '.join(parts)})")


def _load(e: Emitter, op: xdsl_memref.LoadOp) -> None:
    site = e.sites.add("load", "S", e.span(op))
    indices = tuple_text([e.text(index) for index in op.indices])
    e.let(op.res, f"core.load({site}, {e.text(op.memref)}, {indices})")


def _store(e: Emitter, op: xdsl_memref.StoreOp) -> None:
    site = e.sites.add("store", "S", e.span(op))
    indices = tuple_text([e.text(index) for index in op.indices])
    e.code.line(f"core.store({site}, {e.text(op.value)}, {e.text(op.memref)}, {indices})")


def shape_of(value: SSAValue) -> list[str]:
    """Static extents as text, `?` for the others."""
    return shape_text(value, ["?"] * 16)


def groups_text(reassociation: Attribute) -> str:
    """The groups of dimensions that are merged or split, as a Python tuple."""
    groups = cast(ArrayAttr[ArrayAttr[IntegerAttr]], reassociation)
    return tuple_text([tuple_text([str(dim.value.data) for dim in group]) for group in groups])
