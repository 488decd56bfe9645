"""What the parts of the generator share while they write one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
    UnregisteredOp,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.locations import span_of
from tlcourse.simulator.emit.code import Code, SiteTable, SpanTable


@dataclass(kw_only=True)
class Emitter:
    """State of one function: where values live in the text, and the shared tables."""

    code: Code
    sites: SiteTable
    spans: SpanTable
    sources: SourceMap
    names: dict[SSAValue, str]
    values: dict[SSAValue, str] = field(default_factory=lambda: dict[SSAValue, str]())
    loops: list[str] = field(default_factory=lambda: list[str]())
    parts: tuple[Part, ...] = ()

    def text(self, value: SSAValue) -> str:
        """The Python name or literal of a value."""
        return self.values[value]

    def let(self, value: SSAValue, expression: str) -> None:
        """Computes a value and names it."""
        name = self.code.name()
        self.code.line(f"{name} = {expression}")
        self.values[value] = name

    def span(self, op: Operation) -> int:
        """The place of an op in the table of places."""
        return self.spans.index(span_of(op, self.sources))

    def turn(self) -> None:
        """Tells the core which loop turns it is in."""
        self.code.line(f"core.turn = {tuple_text(self.loops)}")

    def unknown(self, op: Operation, reason: str = "") -> TLError:
        """The error for an op that cannot be simulated."""
        span = span_of(op, self.sources)
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        return error(
            "TL531",
            f"the simulator cannot run {name}{f': {reason}' if reason else ''}",
            why="it runs executable HIVM, and this op or this form of it has no meaning there",
            fix="write the statement with other T operations, or run the kernel with the "
            "functional executor (TLCOURSE_EXECUTION=functional)",
            labels=(Label(span=span, text="comes from this statement"),) if span else (),
            sources=self.sources,
        )


Part = Callable[[Emitter, Operation], bool]
"""Writes an op; False where it does not know it."""


def tuple_text(items: Sequence[str]) -> str:
    """A Python tuple as text."""
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def memref(value: SSAValue) -> MemRefType[Attribute]:
    """The memref type of a value."""
    assert isinstance(value.type, MemRefType)
    return cast("MemRefType[Attribute]", value.type)


def dtype(e: Emitter, op: Operation, value: SSAValue) -> str:
    """The dtype of a memref's elements; a bool on chip is a `bit`.

    Raises:
        TLError: TL531 the dtype is unknown.
    """
    kind = memref(value)
    element = kind.element_type
    if element == i1 and space_of(value) != "gm":
        return "bit"
    try:
        return dtype_of(element).name
    except KeyError:
        raise e.unknown(op, f"elements of type {element}") from None


def mixed(static: Attribute | None, dynamic: Sequence[str]) -> list[str]:
    """Static numbers, with the dynamic ones filled in."""
    assert isinstance(static, DenseArrayBase)
    rest = iter(dynamic)
    return [next(rest) if v == DYNAMIC_INDEX else str(v) for v in static.get_values()]


def shape_text(value: SSAValue, dynamic: Sequence[str] = ()) -> list[str]:
    """The extents of a memref type, with the dynamic ones filled in."""
    rest = iter(dynamic)
    return [next(rest) if n == DYNAMIC_INDEX else str(n) for n in memref(value).get_shape()]


def strides_text(value: SSAValue, shape: Sequence[str]) -> list[str]:
    """The strides of a memref: those of its layout, else row-major."""
    layout = memref(value).layout
    if isinstance(layout, StridedLayoutAttr):
        strides = [stride.data for stride in layout.strides if isinstance(stride, IntAttr)]
        if len(strides) == len(shape):
            return [str(stride) for stride in strides]
    out: list[str] = []
    step = "1"
    for extent in reversed(shape):
        out.append(step)
        step = _product(step, extent)
    return out[::-1]


def bits_of(kind: Attribute) -> int:
    """The width of an integer type; 64 for index."""
    if isinstance(kind, IntegerType):
        return kind.bitwidth
    assert isinstance(kind, IndexType)
    return 64


def _product(left: str, right: str) -> str:
    if left.isdecimal() and right.isdecimal():
        return str(int(left) * int(right))
    return right if left == "1" else f"{left} * {right}"
