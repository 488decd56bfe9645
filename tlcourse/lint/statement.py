"""One statement of a kernel as the lint sees it: an op of Tile IR and the call that made it.

What an op does stands in the IR. How it was asked for, by a number or an expression, with or
without a keyword, leaves no mark there: the call is found again in the kernel's text, at the
op's location.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import SourceFile, SourceMap, Span
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.locations import point, span_of
from tlcourse.spans import character_column, tree_of


@dataclass(frozen=True, kw_only=True)
class Statement:
    """An op and its text.

    Args:
        op: the op.
        span: what the caret underlines, where the op knows its place.
        call: the T call that stands at the place; None where there is none.
        in_parallel: whether the text stands in a loop of T.Parallel.
    """

    op: Operation
    span: Span | None
    call: ast.Call | None
    in_parallel: bool = False

    @property
    def name(self) -> str:
        """The called function without `T.` and without the prefix of older spellings."""
        return "" if self.call is None else _name(self.call).removeprefix("npuir_")

    def argument(self, keyword: str, position: int | None = None) -> ast.expr | None:
        """An argument of the call, by its name, or by its place where it may stand without."""
        if self.call is None:
            return None
        named = (given.value for given in self.call.keywords if given.arg == keyword)
        placed = () if position is None else self.call.args[position : position + 1]
        return next(iter((*named, *placed)), None)


def statements(op: Operation, sources: SourceMap) -> Iterator[Statement]:
    """Every op inside an op, with its text."""
    for inner in op.walk():
        place = point(inner.location)
        source = None if place is None else sources.get(place.filename.data)
        if place is None or source is None:
            yield Statement(op=inner, span=span_of(inner, sources), call=None)
            continue
        call = _calls(source.text).get((place.line.data, place.column.data))
        span = span_of(inner, sources) if call is None else _span(source, call)
        in_parallel = place.line.data in _parallel_lines(source.text)
        yield Statement(op=inner, span=span, call=call, in_parallel=in_parallel)


@lru_cache(maxsize=16)
def _calls(text: str) -> dict[tuple[int, int], ast.Call]:
    """The calls of a text by where they start; `for` and `with` have the calls in their heads."""
    tree, lines = tree_of(text), text.splitlines()
    found: dict[tuple[int, int], ast.Call] = {}
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case (
                ast.For(iter=ast.Call() as call)
                | ast.With(items=[ast.withitem(context_expr=ast.Call() as call), *_])
                | (ast.Call() as call)
            ):
                found[_start(node, lines)] = call
            case _:
                pass
    return found


@lru_cache(maxsize=16)
def _parallel_lines(text: str) -> frozenset[int]:
    tree = tree_of(text)
    nodes = ast.walk(tree) if tree is not None else ()
    loops = [node for node in nodes if isinstance(node, ast.For)]
    return frozenset(
        line
        for loop in loops
        if isinstance(loop.iter, ast.Call) and _name(loop.iter) == "Parallel"
        for line in range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
    )


def _start(node: ast.For | ast.With | ast.Call, lines: list[str]) -> tuple[int, int]:
    return node.lineno, character_column(lines[node.lineno - 1], node.col_offset)


def _span(source: SourceFile, call: ast.Call) -> Span:
    lines = source.text.splitlines()
    line, column = _start(call, lines)
    end_line = call.end_lineno or line
    end_column = character_column(lines[end_line - 1], call.end_col_offset or 0)
    return Span(
        source=source.id, line=line, column=column, end_line=end_line, end_column=end_column
    )


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def is_tile(value: SSAValue) -> bool:
    """Whether a value is a buffer or a part of one."""
    return isinstance(value.type, MemRefType)


def is_part(value: SSAValue) -> bool:
    """Whether a value is less than its buffer."""
    return isinstance(value.owner, tl.RegionOp)


def buffer_of(value: SSAValue) -> SSAValue:
    """The buffer of a tile."""
    return value.owner.buffer if isinstance(value.owner, tl.RegionOp) else value


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a tile."""
    return tuple(tl.memref_of(value).get_shape())


def element_of(value: SSAValue) -> str:
    """The dtype of a tile's elements."""
    return dtype_of(tl.memref_of(value).element_type).name
