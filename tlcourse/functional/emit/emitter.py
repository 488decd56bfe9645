"""State of one agent's code while it is written: scalars, views and the loops around."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.locations import span_of
from tlcourse.functional.emit.code import Code, SpanTable
from tlcourse.functional.emit.views import Extent, View

HALF = ("float16", "bfloat16")
_INT_BITS = {"bool": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64}


@dataclass(kw_only=True)
class Emitter:
    """What one agent's code knows.

    Args:
        code: the lines.
        table: spans of the whole Program.
        sources: the learner's texts.
        values: Python text of each scalar: a name or a literal.
        views: view of each buffer and region.
        loops: names of the loop variables around the next line.
        known: by block of code around the next line, what earlier lines made: names of views
            and comparisons that need no second time.
        blocks: name of the number of blocks that run at once; "" where they run in turn.
        shifting: names of scalars that then differ from block to block.
    """

    code: Code
    table: SpanTable
    sources: SourceMap
    values: dict[SSAValue, str] = field(default_factory=lambda: dict[SSAValue, str]())
    views: dict[SSAValue, View] = field(default_factory=lambda: dict[SSAValue, View]())
    loops: list[str] = field(default_factory=lambda: list[str]())
    known: list[dict[str, str]] = field(default_factory=lambda: [dict[str, str]()])
    blocks: str = ""
    shifting: set[str] = field(default_factory=lambda: set[str]())

    def tag(self, op: Operation) -> int:
        """The position of an op's span; -1 where it has none."""
        return self.table.index(span_of(op, self.sources))

    def line(self, op: Operation, text: str) -> None:
        """Adds a line that `op` made."""
        self.code.line(text, self.tag(op))

    def scalar(self, value: SSAValue) -> str:
        """The text of a scalar."""
        return self.values[value]

    def extent(self, value: SSAValue | int) -> Extent:
        """A number or scalar as an extent: an integer where it is known."""
        if isinstance(value, int):
            return value
        text = self.values[value].strip("()")
        return int(text) if text.lstrip("-").isdigit() else text

    def shifts(self, text: object) -> bool:
        """Whether an expression differs between blocks that run at once."""
        return not self.shifting.isdisjoint(re.findall(r"[^\W\d]\w*", str(text)))

    def iteration(self) -> str:
        """The tuple of loop variables here, as text."""
        return "(" + "".join(f"{name}, " for name in self.loops).rstrip() + ")"

    @contextmanager
    def block(self, header: str, tag: int = -1) -> Generator[None]:
        """An indented block; what its lines make is not known behind it."""
        self.known.append({})
        with self.code.block(header, tag):
            yield
        self.known.pop()

    def find(self, key: str) -> str | None:
        """What an earlier line that has run for certain made under a key."""
        return next((made[key] for made in self.known if key in made), None)

    def tensor(self, view: View, tag: int) -> str:
        """The name of a view; computed once a launch where nothing in it changes."""
        text = view.text()
        if view.whole:
            return text
        if not view.checked and all(map(self.code.is_fixed, view.atoms())):
            return self.code.hoist(f"{view.tensor}_part", text)
        name = self.find(text)
        if name is None:
            name = self.code.name(f"{view.tensor}_part")
            self.code.line(f"{name} = {text}", tag)
            self.known[-1][text] = name
        return name


def dtype_of_buffer(value: SSAValue) -> str:
    """The torch dtype of a buffer or region."""
    return dtype_of(tl.memref_of(value).element_type).torch


def shape_of(value: SSAValue) -> list[int | None]:
    """Extents of a buffer; None where one is known at the launch only."""
    shape = tl.memref_of(value).get_shape()
    return [None if dim == DYNAMIC_INDEX else dim for dim in shape]


def loses_range(source: str, target: str) -> bool:
    """Whether a conversion may meet numbers that the target dtype does not hold."""
    if "float" in source:
        return "int" in target
    return _INT_BITS[source] > _INT_BITS.get(target, 64)
