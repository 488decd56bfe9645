"""Lines of generated Python: names, indentation and the tag that leads to the learner's line.

A line that can fail ends in `# 12`, the position of its span in `Program.spans`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Generator
from contextlib import contextmanager

from tlcourse.diagnostics import Span
from tlcourse.functional import numbers

# What generated code calls by name; a learner's buffer may not hide it.
_RUNTIME = (
    *("core", "run", "torch", "numeric", "Tiles", "cast_copy", "gemm_int8", "tile_math"),
    *("load_blocks", "store_blocks", "tiles_of_blocks", "product_blocks"),
)
_RESERVED = frozenset([*keyword.kwlist, *dir(builtins), *vars(numbers), *_RUNTIME])
_LITERAL_WORDS = ("inf", "nan", "True", "False")


class SpanTable:
    """Spans in order of first use, each once."""

    def __init__(self) -> None:
        self._index: dict[Span, int] = {}

    def index(self, span: Span | None) -> int:
        """The position of a span; -1 stands for an unknown place."""
        return -1 if span is None else self._index.setdefault(span, len(self._index))

    def spans(self) -> tuple[Span, ...]:
        """All spans by position."""
        return tuple(self._index)


class Code:
    """The text of one agent: `head` runs once a launch, the body once a block."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._body: list[str] = []
        self._depth = 0
        self._names = set(_RESERVED)
        self._hoisted: dict[str, str] = {}
        self._launch: set[str] = set()

    def name(self, hint: str | None, *, launch: bool = False) -> str:
        """A fresh Python name close to the hint; `launch` marks a value fixed per launch."""
        base = re.sub(r"\W", "_", hint or "", flags=re.ASCII) or "s"
        base = f"s{base}" if base[0].isdigit() else base
        name, number = base, 0
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        if launch:
            self._launch.add(name)
        return name

    def is_fixed(self, atom: int | str) -> bool:
        """Whether a number or name keeps its value for the whole launch."""
        return isinstance(atom, int) or atom in self._launch

    def head(self, text: str, tag: int = -1) -> None:
        """Adds a line that runs once a launch."""
        self._head.append(_tagged(text, tag))

    def line(self, text: str, tag: int = -1) -> None:
        """Adds a line to the body at the present depth."""
        self._body.append("    " * self._depth + _tagged(text, tag))

    @contextmanager
    def block(self, header: str, tag: int = -1) -> Generator[None]:
        """An indented block under `header`; `pass` where nothing was added."""
        self.line(header, tag)
        before = len(self._body)
        self._depth += 1
        yield
        if len(self._body) == before:
            self.line("pass")
        self._depth -= 1

    def is_literal(self, text: str) -> bool:
        """Whether a text is a number and no name of a value."""
        return text.strip("()").lstrip("-") in _LITERAL_WORDS or text.strip("(-")[:1].isdigit()

    def hoist(self, hint: str, expression: str, *, tag: int = -1, key: str = "") -> str:
        """The name of an expression that is computed once a launch; equal keys share it."""
        key = key or expression
        if key not in self._hoisted:
            name = self.name(hint, launch=True)
            self.head(f"{name} = {expression}", tag)
            self._hoisted[key] = name
        return self._hoisted[key]

    def assemble(self, header: str, loops: list[str], start: list[str]) -> str:
        """The source of `run`: head, block loops, what starts a block, body, end of block."""
        lines = [header, *("    " + line for line in self._head)]
        lines += ["    " * (depth + 1) + loop for depth, loop in enumerate(loops)]
        indent = "    " * (len(loops) + 1)
        # With a second grid dimension an idle core's inner loop would have no body.
        lines += [indent + line for line in (*start, *self._body) or ("pass",)]
        # One `yield None` a block, also where a second grid dimension loops inside it.
        lines.append("        yield None")
        return "\n".join(lines) + "\n"


def _tagged(text: str, tag: int) -> str:
    return text if tag < 0 else f"{text}  # {tag}"
