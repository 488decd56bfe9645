"""The memory map: where each buffer lies, under the learner's name for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.chips import Chip
from tlcourse.diagnostics import SourceMap, Span
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.locations import span_of
from tlcourse.records import MemoryMap, PlannedBuffer
from tlcourse.simulator.emit.emitter import memref, strides_text

_ALLOCATION = re.compile(r"\s*(\w+)\s*=\s*\w+\.alloc")
_ORDER = ("ub", "cbuf", "ca", "cb", "cc")


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A planned buffer, its memory and the value that stands for it."""

    value: SSAValue
    space: str
    buffer: PlannedBuffer


def placed(functions: Iterable[func.FuncOp], sources: SourceMap) -> list[Placed]:
    """All buffers with a known address, in program order, copies of one buffer numbered."""
    found = [entry for function in functions for entry in _in_function(function, sources)]
    return _number_copies(found)


def memory_maps(found: Iterable[Placed], chip: Chip) -> tuple[MemoryMap, ...]:
    """One map per memory; buffers with the same name and place are one."""
    spaces: dict[str, dict[tuple[str, int, int], PlannedBuffer]] = {}
    for entry in found:
        buffers = spaces.setdefault(entry.space, {})
        new = entry.buffer
        key = (new.name, new.offset_bytes, new.size_bytes)
        old = buffers.get(key, new)
        buffers[key] = replace(old, first=min(old.first, new.first), last=max(old.last, new.last))
    return tuple(
        MemoryMap(
            space=space,
            capacity_bytes=chip.sizes_bytes[space],
            buffers=tuple(spaces[space].values()),
        )
        for space in _ORDER
        if space in spaces
    )


def _in_function(function: func.FuncOp, sources: SourceMap) -> list[Placed]:
    order = {op: index for index, op in enumerate(function.walk())}
    found: list[Placed] = []
    for op in order:
        if not isinstance(op, PointerCastOp) or len(op.addrs) != 1:
            continue
        address = _constant(op.addrs[0])
        size = _size_bytes(op.result)
        if address is None or size is None:
            continue
        span = span_of(op, sources)
        users, aliases = _users(op.result)
        touched = [order[user] for user in users if not _is_view(user)]
        found.append(
            Placed(
                value=op.result,
                space=space_of(op.result),
                buffer=PlannedBuffer(
                    name=_written_as(users, aliases, span, sources) or _hint(op.result, sources),
                    offset_bytes=address,
                    size_bytes=size,
                    first=min(touched, default=0),
                    last=max(touched, default=0),
                    span=span,
                ),
            )
        )
    return found


def _number_copies(found: list[Placed]) -> list[Placed]:
    """Buffers from one statement at several addresses are copies of one buffer."""
    addresses: dict[tuple[str, str, Span | None, int], list[int]] = {}
    for entry in found:
        buffer = entry.buffer
        places = addresses.setdefault(_origin(entry), [])
        if buffer.offset_bytes not in places:
            places.append(buffer.offset_bytes)
    out: list[Placed] = []
    for entry in found:
        buffer = entry.buffer
        places = addresses[_origin(entry)]
        if buffer.name and len(places) > 1:
            number = places.index(buffer.offset_bytes)
            name = f"{buffer.name}[{number}]"
            buffer = replace(buffer, name=name)  # each copy is drawn at its own place
        elif not buffer.name:
            buffer = replace(buffer, name=f"buffer at {buffer.offset_bytes}")
        out.append(replace(entry, buffer=buffer))
    return out


def _origin(entry: Placed) -> tuple[str, str, Span | None, int]:
    buffer = entry.buffer
    return entry.space, buffer.name, buffer.span, buffer.size_bytes


def _users(value: SSAValue) -> tuple[set[Operation], set[SSAValue]]:
    """The ops that touch a buffer or an alias of it, and the aliases."""
    users: set[Operation] = set()
    open_values, seen = [value], set[SSAValue]()
    while open_values:
        current = open_values.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            op = use.operation
            users.add(op)
            open_values += _aliases(op, use.index)
    return users, seen


def _is_view(op: Operation) -> bool:
    """Whether an op only says anew where a buffer lies: no byte is read or written yet."""
    is_memref = [isinstance(result.type, MemRefType) for result in op.results]
    return any(is_memref) and not isinstance(op, scf.ForOp | scf.IfOp)


def _aliases(op: Operation, operand: int) -> list[SSAValue]:
    """Values that are the same buffer as an operand of an op."""
    if isinstance(op, scf.ForOp):
        place = operand - 3
        return [op.body.block.args[place + 1], op.results[place]] if place >= 0 else []
    if isinstance(op, scf.YieldOp):
        parent = op.parent_op()
        return list(parent.results[operand : operand + 1]) if parent else []
    return [result for result in op.results if isinstance(result.type, MemRefType)]


def _hint(value: SSAValue, sources: SourceMap) -> str:
    """The name that the passes carried along, where the learner's text knows it."""
    name = re.sub(r"_\d+$", "", value.name_hint or "")
    is_known = name and any(re.search(rf"\b{name}\b", s.text) for s in sources.values())
    return name if is_known else ""


def _written_as(
    users: set[Operation], aliases: set[SSAValue], span: Span | None, sources: SourceMap
) -> str:
    """The learner's name of a buffer.

    The statement that made it tells, unless all statements that write it agree on another tile:
    the real compiler gives one place to buffers that it takes for equal while they are empty.
    """
    name = _name(span, sources)
    written = {
        _name(span_of(op, sources), sources)
        for op in users
        if isinstance(op, PipeOp) and not aliases.isdisjoint(op.destinations())
    }
    other = next(iter(written)) if len(written) == 1 else ""
    is_allocated = other and any(
        re.search(rf"^\s*{other}\s*=\s*\w+\.alloc", one.text, re.MULTILINE)
        for one in sources.values()
    )
    return other if is_allocated else name


def _name(span: Span | None, sources: SourceMap) -> str:
    """The learner's name of the buffer that a statement makes; empty where there is none.

    `A_ub = T.alloc_ub(..)` names it; so does the destination of `T.copy(A, A_sh)`, because a
    buffer that the compiler makes for a statement holds its result.
    """
    source = sources.get(span.source) if span else None
    lines = source.text.splitlines() if source else []
    if span is None or not 0 < span.line <= len(lines):
        return ""
    line = lines[span.line - 1]
    match = _ALLOCATION.match(line)
    if match:
        return match.group(1)
    return _destination(line[span.column - 1 : span.end_column - 1])


def _destination(text: str) -> str:
    """The last buffer that a call on one line is given by position."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return ""
    if not isinstance(call, ast.Call) or not call.args:
        return ""
    last = call.args[-1]
    while isinstance(last, ast.Subscript):
        last = last.value
    return last.id if isinstance(last, ast.Name) else ""


def _size_bytes(value: SSAValue) -> int | None:
    """Bytes from the first element to the last, gaps of strides included."""
    kind = memref(value)
    shape = kind.get_shape()
    if DYNAMIC_INDEX in shape:
        return None
    strides = [int(stride) for stride in strides_text(value, [str(n) for n in shape])]
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    dtype = dtype_of(kind.element_type)
    return -(-(last + 1) * (1 if dtype.name == "bool" else dtype.bits) // 8)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
