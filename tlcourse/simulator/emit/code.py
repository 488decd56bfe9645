"""Text under construction, and the two tables that generated code refers to by position."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tlcourse.diagnostics import Span


@dataclass
class Code:
    """Lines of one generated function, and the small functions that stand in front of it."""

    lines: list[str] = field(default_factory=lambda: list[str]())
    meanings: list[str] = field(default_factory=lambda: list[str]())
    names: int = 0
    depth: int = 1

    def line(self, text: str) -> None:
        """Adds a statement."""
        self.lines.append("    " * self.depth + text)

    def name(self) -> str:
        """A name that nothing has yet."""
        self.names += 1
        return f"v{self.names}"

    @contextmanager
    def block(self, head: str) -> Generator[None, None, None]:
        """Indents what is added inside."""
        self.line(head)
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1

    def meaning(self, name: str, parameters: list[str], statements: list[str]) -> None:
        """Adds a function that computes one instruction."""
        head = f"def {name}({', '.join(parameters)}):"
        self.meanings += [head, *(f"    {statement}" for statement in statements), ""]

    def text(self, parameters: list[str]) -> str:
        """The whole module text."""
        head = f"def run({', '.join(['core', *parameters])}):"
        return "\n".join([*self.meanings, head, "    yield None", *self.lines, ""])


@dataclass
class SpanTable:
    """Places in the learner's text, each once."""

    found: dict[Span, int] = field(default_factory=lambda: dict[Span, int]())

    def index(self, span: Span | None) -> int:
        """The position of a place, -1 for none."""
        return -1 if span is None else self.found.setdefault(span, len(self.found))

    def spans(self) -> tuple[Span | None, ...]:
        """All places in order."""
        return tuple(self.found)


@dataclass
class SiteTable:
    """Rows of `Program.options["sites"]`: what is known of each op before the run."""

    rows: list[dict[str, Any]] = field(default_factory=lambda: list[dict[str, Any]]())

    def add(self, op: str, pipe: str, span: int, **facts: Any) -> int:
        """Adds a row; facts are fields of `Site` that differ from their defaults."""
        self.rows.append({"op": op, "pipe": pipe, "span": span, **facts})
        return len(self.rows) - 1
