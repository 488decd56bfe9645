"""The text of a kernel, captured while its decorator runs.

Python knows the file name and the first line of a function. The text comes from `linecache`,
which serves files, notebook cells, the REPL of newer Pythons and text that a program
registered there. A cell that a magic such as `%%time` ran is found in the notebook's history.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import os
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType

from tlcourse.diagnostics import Label, SourceFile, SourceMap, Span, error
from tlcourse.language import notebook
from tlcourse.spans import character_column

THIS_CELL = "this cell"


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A function's syntax tree and the text that is shown for it.

    Args:
        file: the shown text.
        node: the function.
        lines: lines of the text that was parsed.
        line_offset: shown line minus parsed line.
        column_offset: shown column minus parsed column.
    """

    file: SourceFile
    node: ast.FunctionDef
    lines: tuple[str, ...]
    line_offset: int = 0
    column_offset: int = 0

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> Span:
        """Where a node stands in the shown text; of a compound statement, its first line."""
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        if isinstance(node, (ast.For, ast.With, ast.If, ast.While, ast.FunctionDef)):
            end_line, end = node.lineno, len(self.lines[node.lineno - 1].encode())
        return Span(
            source=self.file.id,
            line=node.lineno + self.line_offset,
            column=self._column(node.lineno, node.col_offset),
            end_line=end_line + self.line_offset,
            end_column=self._column(end_line, end),
        )

    def _column(self, line: int, offset: int) -> int:
        return character_column(self.lines[line - 1], offset) + self.column_offset


def capture(function: FunctionType) -> Captured:
    """The syntax tree of a function whose definition is being executed.

    Raises:
        TL101: no text is known for the function.
        TL102: the file was changed after it was loaded.
    """
    name = function.__code__.co_filename
    for text in _texts(function):
        node = _find(text, function)
        if node is not None:
            return _captured(text, node, name)
    has_text = bool(linecache.getlines(name, function.__globals__))
    raise _changed(function) if has_text else _no_source(function)


def retitled(sources: SourceMap) -> SourceMap:
    """The same texts; the cell that is being executed is called "this cell"."""
    current = notebook.current_cell()
    if current is None:
        return sources
    own = cell_id(current)
    return {
        key: SourceFile(id=file.id, text=file.text, title=THIS_CELL) if key == own else file
        for key, file in sources.items()
    }


def cell_id(text: str) -> str:
    """The source id of a notebook cell: from its text alone, never from when it ran."""
    return f"cell:{hashlib.sha256(_trimmed(text).encode()).hexdigest()[:8]}"


def place_of_frame(frame: FrameType) -> tuple[Span | None, SourceMap]:
    """The line that a Python frame executes, for errors outside a kernel."""
    return place_of_line(frame, frame.f_lineno)


def place_of_line(frame: FrameType, line: int) -> tuple[Span | None, SourceMap]:
    """A line of the text that a Python frame executes."""
    name = frame.f_code.co_filename
    lines = linecache.getlines(name, frame.f_globals)
    if not 0 < line <= len(lines):
        return None, {}
    text = lines[line - 1].rstrip()
    file = _file("".join(lines), name, "code")
    column = len(text) - len(text.lstrip()) + 1
    span = Span(source=file.id, line=line, column=column, end_line=line, end_column=len(text) + 1)
    return span, retitled({file.id: file})


def _texts(function: FunctionType) -> Iterator[str]:
    name = function.__code__.co_filename
    lines = linecache.getlines(name, function.__globals__)
    if lines:
        yield "".join(lines)
        linecache.checkcache(name)
        yield "".join(linecache.getlines(name, function.__globals__))
    elif name.startswith("<"):
        yield from notebook.cells_under_magics()


def _find(text: str, function: FunctionType) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    definitions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    candidates = [node for node in definitions if _fits(node, function)]
    first = function.__code__.co_firstlineno
    exact = [node for node in candidates if _first_line(node) == first]
    if exact:
        return exact[0]
    # A magic compiles the cell's body under its own numbering; one candidate is unambiguous.
    is_magic = function.__code__.co_filename.startswith("<")
    return candidates[0] if is_magic and len(candidates) == 1 else None


def _fits(node: ast.FunctionDef, function: FunctionType) -> bool:
    if node.name != function.__name__:
        return False
    arguments = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    return arguments == list(function.__code__.co_varnames[: len(arguments)])


def _first_line(node: ast.FunctionDef) -> int:
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def _captured(text: str, node: ast.FunctionDef, name: str) -> Captured:
    lines = text.splitlines()
    shown, line_offset, column_offset = text, 0, 0
    if not os.path.isfile(name):
        block = lines[_first_line(node) - 1 : node.end_lineno]
        shown, line_offset, column_offset = _shown_cell(text, block, _first_line(node))
    return Captured(
        file=_file(shown, name, _outermost(text, node)),
        node=node,
        lines=tuple(lines),
        line_offset=line_offset,
        column_offset=column_offset,
    )


def _shown_cell(text: str, block: list[str], first: int) -> tuple[str, int, int]:
    """The cell as the learner typed it, and by how much its lines and columns differ."""
    cells = list(notebook.raw_cells())
    same = [cell for cell in cells if _trimmed(cell).lstrip("\n") == _trimmed(text)]
    for cell in same + cells:
        lines = cell.splitlines()
        for start in range(len(lines) - len(block) + 1):
            indent = _indent(lines[start : start + len(block)], block)
            if indent is not None:
                return cell, start + 1 - first, indent
    return text, 0, 0


def _indent(shown: list[str], block: list[str]) -> int | None:
    indent = shown[0][: len(shown[0]) - len(shown[0].lstrip())]
    own = block[0][: len(block[0]) - len(block[0].lstrip())]
    extra = indent.removesuffix(own)
    if textwrap.indent("\n".join(block), extra) == "\n".join(shown):
        return len(extra)
    return None


def _outermost(text: str, node: ast.FunctionDef) -> str:
    for outer in ast.parse(text).body:
        inside = outer.lineno <= node.lineno <= (outer.end_lineno or outer.lineno)
        if inside and isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
            return outer.name
    return node.name


def _file(text: str, name: str, defines: str) -> SourceFile:
    if not os.path.isfile(name):
        title = f"the cell that defines {defines}"
        return SourceFile(id=cell_id(text), text=_trimmed(text), title=title)
    path = _relative(Path(name))
    return SourceFile(id=path, text=text, title=path)


def _relative(path: Path) -> str:
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.name


def _trimmed(text: str) -> str:
    return text.rstrip("\n")


def _no_source(function: FunctionType) -> Exception:
    return error(
        "TL101",
        f"the text of `{function.__name__}` cannot be found",
        why="a kernel is read from its source text, and this function was made by exec or typed "
        "at a prompt that keeps no text",
        fix="put the kernel into a file or a notebook cell; text for exec goes into linecache",
    )


def _changed(function: FunctionType) -> Exception:
    code = function.__code__
    path = _relative(Path(code.co_filename))
    span = Span(
        source=path,
        line=code.co_firstlineno,
        column=1,
        end_line=code.co_firstlineno,
        end_column=1,
    )
    return error(
        "TL102",
        f"the text of `{function.__name__}` changed after it was loaded",
        why="the kernel is read from its source text, which no longer holds this function",
        fix="restart Python, or reload the module, and call the factory again",
        labels=(Label(span=span),),
    )
