"""From a point in a source text to the stretch that a caret underlines."""

from __future__ import annotations

import ast
from functools import lru_cache

from tlcourse.diagnostics import SourceFile, Span


def span_at(source: SourceFile, line: int, column: int) -> Span:
    """The largest expression or simple statement that starts at a point of a text.

    Args:
        source: the text.
        line: from 1.
        column: in characters, from 1.

    Returns:
        its span; the rest of the word at the point where nothing parses there.
    """
    end_line, end_column = _ends(source.text).get((line, column), (line, 0))
    if end_line != line or end_column <= column:
        end_line, end_column = line, _end_of_word(source.text, line, column)
    return Span(
        source=source.id, line=line, column=column, end_line=end_line, end_column=end_column
    )


@lru_cache(maxsize=64)
def _ends(text: str) -> dict[tuple[int, int], tuple[int, int]]:
    tree = tree_of(text)
    if tree is None:
        return {}
    lines = text.splitlines()
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt, ast.arg)) or node.end_lineno is None:
            continue
        end_offset = node.end_col_offset or 0
        start = (node.lineno, character_column(lines[node.lineno - 1], node.col_offset))
        end = (node.end_lineno, character_column(lines[node.end_lineno - 1], end_offset))
        # One line only: a `with` statement starts where its keyword starts, and no caret spans it.
        if node.lineno == node.end_lineno:
            ends[start] = max(ends.get(start, end), end)
    return ends


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of a file or notebook cell; None where Python cannot read it."""
    return _parsed(text) or _parsed(_without_magics(text))


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _without_magics(text: str) -> str:
    """A notebook cell with the lines that IPython takes for itself blanked out."""
    lines = [
        f"{line[: len(line) - len(line.lstrip())]}pass"
        if line.lstrip().startswith(("%", "!"))
        else line
        for line in text.splitlines()
    ]
    return "\n".join(lines)


def character_column(line: str, byte_offset: int) -> int:
    """The column in characters, from 1, of a byte offset as Python's `ast` counts it."""
    return len(line.encode()[:byte_offset].decode(errors="ignore")) + 1


def _end_of_word(text: str, line: int, column: int) -> int:
    lines = text.splitlines()
    if not 0 < line <= len(lines):
        return column + 1
    rest = lines[line - 1][column - 1 :]
    word = len(rest) - len(
        rest.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789")
    )
    return column + max(1, word)
