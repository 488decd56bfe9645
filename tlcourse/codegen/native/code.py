"""Lines of C, names for values, and what is known of tiles while a kernel is written."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from tlcourse.codegen.native.views import Extent, View

C_TYPES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "float",
    "float64": "double",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "bool": "uint8_t",
}
BYTES = {
    **{"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "bool": 1},
    **{"int8": 1, "int16": 2, "int32": 4, "int64": 8},
}
SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
_ALIGNMENT = 64


@dataclass(frozen=True, kw_only=True)
class Inner:
    """The loop over columns that was written last, while statements share the loop over rows.

    Args:
        index: name of its index.
        extent: how often it runs.
        top: the line before which something that does not change may stand.
        end: number of lines when it was closed; more lines, and it is no longer the last.
        written: buffers that it writes.
    """

    index: str
    extent: Extent
    top: int
    end: int
    written: frozenset[str]


@dataclass(kw_only=True)
class Code:
    """The body of the function that runs one block."""

    lines: list[str] = field(default_factory=lambda: list[str]())
    depth: int = 1
    names: int = 0
    tile_bytes: int = 0
    looks: list[str] = field(default_factory=lambda: list[str]())  # at outputs, for inf and NaN
    row: str = ""  # the loop over rows that statements share
    inner: Inner | None = None
    late: dict[SSAValue, View] = field(default_factory=lambda: dict[SSAValue, View]())
    scalars: dict[SSAValue, str] = field(default_factory=lambda: dict[SSAValue, str]())
    views: dict[SSAValue, View] = field(default_factory=lambda: dict[SSAValue, View]())

    def line(self, text: str) -> None:
        """Adds a line at the present depth."""
        self.lines.append("  " * self.depth + text)

    def name(self, hint: str | None = None) -> str:
        """A fresh C name that reads like `hint`."""
        self.names += 1
        plain = "".join(c for c in hint or "v" if c.isascii() and (c.isalnum() or c == "_"))
        return f"{plain or 'v'}_{self.names}"

    @contextmanager
    def block(self, header: str) -> Generator[None]:
        """A block in braces."""
        self.line(header + " {")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    def room(self, size: int) -> int:
        """Bytes for a tile; gives their place in the block's memory."""
        place = self.tile_bytes
        self.tile_bytes += -(-size // _ALIGNMENT) * _ALIGNMENT
        return place

    def source(self, value: SSAValue) -> View:
        """Where a tile is read: a buffer whose copy is late, in the tensor that it is a copy of."""
        return self.late.get(value) or self.views[value]

    def extent(self, value: SSAValue | int) -> Extent:
        """A size: a number where it is known."""
        if isinstance(value, int):
            return value
        text = self.scalars[value]
        return int(text) if text.isdecimal() else text

    def refuse(self, faults: Sequence[str]) -> None:
        """Ends the block where a condition holds, for the functional executor to report."""
        if faults:
            self.line(f"if ({' || '.join(faults)}) return 1;")


def address(view: View, indices: Sequence[str]) -> str:
    """The place of an element behind the view's start, as C."""
    terms = [
        f"{index} * {stride}" if stride != 1 else index
        for index, stride in zip(indices, view.strides, strict=True)
        if stride != 0
    ]
    return " + ".join(terms) or "0"


def loaded(dtype: str, text: str) -> str:
    """An element as a number to compute with."""
    short = {"float16": "f16", "bfloat16": "bf16"}.get(dtype)
    return f"ld_{short}({text})" if short else text


def stored(dtype: str, text: str) -> str:
    """A number as an element."""
    short = {"float16": "f16", "bfloat16": "bf16"}.get(dtype)
    if short:
        return f"st_{short}({text})"
    return f"({text}) != 0" if dtype == "bool" else text


def kind_of(dtype: str) -> str:
    """The C type that numbers of a dtype are computed in."""
    return "float" if dtype in ("float16", "bfloat16") else C_TYPES[dtype]
