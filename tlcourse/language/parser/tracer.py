"""The tracer: walks a function's syntax tree and dispatches on the kind of node.

What a kind of node means stands in the tables that it is given; the tables' files never
import each other's handlers, they come back here through `evaluate` and `run`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.ir import Operation

from tlcourse.diagnostics import Span, TLError
from tlcourse.language.builder import Builder
from tlcourse.language.frames import FrameKind
from tlcourse.language.parser.scopes import Scopes
from tlcourse.language.source import Captured
from tlcourse.language.symbolic import lift

Evaluate = Callable[["Tracer", ast.expr], object]
Run = Callable[["Tracer", ast.stmt], None]
Expressions = Mapping[type[ast.expr], Evaluate]
Statements = Mapping[type[ast.stmt], Run]


class Tracer:
    """Reads one function: a kernel or a macro."""

    def __init__(
        self,
        captured: Captured,
        scopes: Scopes,
        build: Builder,
        tables: tuple[Expressions, Statements],
        is_macro: bool = False,
    ) -> None:
        self.captured = captured
        self.scopes = scopes
        self.build = build
        self.is_macro = is_macro
        self.returned: object = None
        # Ops that compute the ends of slices of the subscript being read.
        self.slice_ends: list[Operation] = []
        self._expressions, self._statements = tables

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> Span:
        """Where a node stands."""
        return self.captured.span(node)

    def evaluate(self, node: ast.expr) -> object:
        """The value of an expression: a Python value, or one of the language's own."""
        handler = self._expressions.get(type(node))
        with self.build.at(self.span(node)):
            if handler is None:
                raise self._unsupported(node, "expression")
            return lift(self.python(lambda: handler(self, node)))

    def run(self, statements: Sequence[ast.stmt]) -> None:
        """Reads statements in order."""
        for statement in statements:
            handler = self._statements.get(type(statement))
            with self.build.at(self.span(statement)):
                if handler is None:
                    raise self._unsupported(statement, "statement")
                handler(self, statement)

    @contextmanager
    def block(self, kind: FrameKind) -> Generator[None]:
        """Names bound inside end with the block; a "pipe" block is no block for names."""
        if kind == "pipe":
            yield
            return
        self.scopes.push(kind)
        yield
        self.scopes.pop()

    def python(self, action: Callable[[], object]) -> object:
        """Runs something that may end in an exception of the learner's own Python values.

        Raises:
            TL128: Python raised.
        """
        try:
            return action()
        except TLError:
            raise
        except Exception as problem:
            raise self.build.fail(
                "TL128",
                f"Python raised {type(problem).__name__} here: {problem}",
                why="this part of the kernel works on plain Python values while it is read",
                fix="check the types and values of the names in it",
            ) from problem

    def _unsupported(self, node: ast.AST, kind: str) -> TLError:
        word = type(node).__name__
        return self.build.fail(
            "TL103",
            f"a kernel cannot hold this {kind} ({word})",
            why="a kernel is read as a program for the NPU, which has no counterpart of it",
            fix="compute it in the factory, outside @T.prim_func, and use the result here",
        )
