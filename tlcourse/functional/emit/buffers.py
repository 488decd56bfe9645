"""Buffers, regions and single elements: views, and the comparison with their extents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.functional.emit.access import all_written
from tlcourse.functional.emit.emitter import Emitter, dtype_of_buffer, shape_of
from tlcourse.functional.emit.scalars import stored
from tlcourse.functional.emit.views import Extent, View, part, root, tuple_text

# Recognisable in a print-out, and far from any number a kernel would compute.
_POISON = {
    "int8": "0x7B",
    "int16": "0x7B7B",
    "int32": "0x7B7B7B7B",
    "int64": "0x7B7B7B7B7B7B7B7B",
    "bool": "True",
}


def parameter(e: Emitter, value: SSAValue, label: str, name: str) -> None:
    """Makes the view of a tensor in GM; its unknown extents are read from the tensor."""
    base = e.code.hoist(f"{name}_at", f"{name}.storage_offset()")
    shape: list[Extent] = []
    for dim, extent in enumerate(shape_of(value)):
        shape.append(
            e.code.hoist(f"{name}_{dim}", f"{name}.shape[{dim}]") if extent is None else extent
        )
    view = root(tensor=name, label=label, dtype=dtype_of_buffer(value), shape=shape, base=base)
    strides = [
        e.code.hoist(f"{name}_step", str(s)) if isinstance(s, str) else s for s in view.strides
    ]
    e.views[value] = replace(view, strides=tuple(strides))


def alloc(e: Emitter, op: tl.AllocOp, dtype: str) -> str:
    """Makes an on-chip buffer, once a launch, and gives the line that poisons it."""
    view = _buffer(e, op, dtype)
    shape = (e.blocks, *view.shape) if e.blocks else view.shape
    kind = f"{tuple_text(shape)}, dtype=torch.{dtype}"
    e.code.head(f"{view.tensor} = torch.empty({kind})", e.tag(op))
    e.views[op.result] = replace(view, blocks=e.blocks, size=prod(map(int, view.shape)))
    return f"{view.tensor}.fill_({_POISON.get(dtype, 'nan')})"


def alloc_name(e: Emitter, op: tl.AllocOp) -> str:
    """Makes a name for float32 tiles, and gives the line that makes it stand for poison."""
    view = _buffer(e, op, "float32")
    poison = e.code.hoist(
        "poison", f"torch.full({tuple_text(view.shape)}, nan, dtype=torch.float32)", tag=e.tag(op)
    )
    e.code.head(f"{view.tensor} = {poison}", e.tag(op))
    e.views[op.result] = replace(view, rebound=True)
    return f"{view.tensor} = {poison}"


def _buffer(e: Emitter, op: tl.AllocOp, dtype: str) -> View:
    shape = [extent or 0 for extent in shape_of(op.result)]
    name = e.code.name(op.label.data, launch=True)
    return root(tensor=name, label=op.label.data, dtype=dtype, shape=shape)


def region(e: Emitter, op: tl.RegionOp) -> None:
    """Makes the view of a region and the comparison that guards it, where one is needed."""
    offsets = [e.extent(offset) for offset in op.offsets]
    extents = [e.extent(extent) for extent in op.extents()]
    view = e.views[op.buffer]
    guarded = _guard(e, op, view, offsets, extents, _verb(op))
    made = part(view, offsets, extents)
    shifts = tuple(term for term in made.terms if e.shifts(term))
    terms = tuple(term for term in made.terms if term not in shifts)
    made = replace(made, terms=terms, shifts=(*made.shifts, *shifts))
    e.views[op.result] = replace(made, checked=view.checked or guarded)


def load(e: Emitter, op: tl.LoadOp) -> None:
    """Reads one element into a scalar."""
    name = e.code.name(op.result.name_hint)
    e.line(op, f"{name} = {_element(e, op, op.buffer, op.indices, 'reads')}.item()")
    e.values[op.result] = name


def store(e: Emitter, op: tl.StoreOp) -> None:
    """Writes a scalar into one element."""
    place = _element(e, op, op.buffer, op.indices, "writes")
    e.line(op, f"{place} = {stored(op.value.type, e.scalar(op.value))}")


def _element(
    e: Emitter, op: Operation, buffer: SSAValue, indices: Sequence[SSAValue], verb: str
) -> str:
    view = e.views[buffer]
    offsets = [e.extent(index) for index in indices]
    _guard(e, op, view, offsets, [1] * len(offsets), verb)
    flat = e.code.hoist(f"{view.tensor}_flat", f"{view.tensor}.view(-1)")
    # A flat view starts at the tensor's first element, so the storage position falls away.
    terms = tuple(term for term in view.terms if term != view.base)
    cell = part(replace(view, terms=terms), offsets, [1] * len(offsets))
    return f"{flat}[{cell.position()}]"


def _guard(
    e: Emitter,
    op: Operation,
    view: View,
    offsets: Sequence[Extent],
    extents: Sequence[Extent],
    verb: str,
) -> bool:
    faults = [
        fault
        for offset, extent, size in zip(offsets, extents, view.shape, strict=True)
        if (fault := _fault(offset, extent, size))
    ]
    if not faults:
        return False
    if e.blocks:
        _check(e, offsets, extents, view.shape)
        return True
    condition = f"{view.tensor}: {' or '.join(faults)}"
    if e.find(condition) is None:
        e.known[-1][condition] = ""
        with e.code.block(f"if {' or '.join(faults)}:"):
            e.code.line(
                f"core.outside({e.tag(op)}, {view.label!r}, {verb!r}, {tuple_text(offsets)}, "
                f"{tuple_text(extents)}, {tuple_text(view.shape)}, {e.iteration()})"
            )
    return True


def _check(
    e: Emitter, offsets: Sequence[Extent], extents: Sequence[Extent], shape: Sequence[Extent]
) -> None:
    """Emits the comparison for blocks that run at once, which give up where it fails."""
    for offset, extent, size in zip(offsets, extents, shape, strict=True):
        text = f"core.check({offset}, {extent}, {size})"
        if _fault(offset, extent, size) and e.find(text) is None:
            e.known[-1][text] = ""
            e.code.line(text)


def _fault(offset: Extent, extent: Extent, size: Extent) -> str:
    """The condition under which a range leaves its dimension; empty where it cannot."""
    if offset == 0 and extent == size:
        return ""
    if isinstance(extent, str):
        lowest = [] if isinstance(offset, int) and offset >= 0 else [f"{offset} < 0"]
        return " or ".join([*lowest, f"{extent} < 0", f"{_sum(offset, extent)} > {size}"])
    if isinstance(size, int):
        last = size - extent
        if isinstance(offset, int):
            return "" if 0 <= offset <= last else "True"
        return f"not 0 <= {offset} <= {last}"
    return f"not 0 <= {offset} <= {size} - {extent}"


def _sum(offset: Extent, extent: Extent) -> str:
    return str(extent) if offset == 0 else f"{offset} + {extent}"


def _verb(op: tl.RegionOp) -> str:
    writes = any(op.result in all_written(use.operation) for use in op.result.uses)
    return "writes" if writes else "reads"
