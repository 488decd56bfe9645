"""Warns where a loop or a grid counts with `N // block` and nothing is left to do the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tlcourse.language.parser.tracer import Tracer

_COUNTING = ("serial", "Pipelined", "Kernel", "range")
_CUTTING = ("ceildiv", "cdiv", "min", "if_then_else", "Select")


def warn_of_remainders(tracer: Tracer, node: ast.expr) -> None:
    """Keeps TL142 for each extent `N // block` that leaves a rest which the kernel forgets.

    Args:
        tracer: what reads the kernel.
        node: what a `for` loops over or a `with` opens.

    A kernel that counts or cuts with N elsewhere, as in `N % block` or `T.min(block, N - start)`,
    looks after the rest itself.
    """
    if not isinstance(node, ast.Call) or _name(node.func) not in _COUNTING:
        return
    for extent in node.args:
        if not (isinstance(extent, ast.BinOp) and isinstance(extent.op, ast.FloorDiv)):
            continue
        whole, part = (_number(tracer, side) for side in (extent.left, extent.right))
        if not whole or not part or whole % part == 0:
            continue
        if not _looks_after(tracer.captured.node, ast.unparse(extent.left)):
            _warn(tracer, extent, whole, part)


def _warn(tracer: Tracer, extent: ast.BinOp, whole: int, part: int) -> None:
    left, right = ast.unparse(extent.left), ast.unparse(extent.right)
    with tracer.build.at(tracer.span(extent)):
        tracer.build.warn(
            "TL142",
            f"`{left} // {right}` is {whole} // {part} = {whole // part} and leaves out the last "
            f"{whole % part} of {whole}",
            why="the quotient is rounded down, and nothing else in the kernel comes to the rest",
            fix=f"count with T.ceildiv({left}, {right}) and let the last tile end with "
            f"T.min({right}, {left} - start), or choose a divisor of {whole}",
        )


def _number(tracer: Tracer, node: ast.expr) -> int | None:
    """A number that Python knows; what may have an effect is not read a second time."""
    if not isinstance(node, (ast.Name, ast.Constant)):
        return None
    value = tracer.evaluate(node)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _looks_after(function: ast.AST, whole: str) -> bool:
    return any(_cuts(node, whole) for node in ast.walk(function))


def _cuts(node: ast.AST, whole: str) -> bool:
    """Whether a part of the text counts with the whole in another way than its quotient."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Sub)):
        return ast.unparse(node.left) == whole
    if isinstance(node, ast.Compare):
        return whole in (ast.unparse(side) for side in (node.left, *node.comparators))
    if isinstance(node, ast.Call) and _name(node.func) in _CUTTING:
        return any(ast.unparse(part) == whole for part in _parts(node))
    return False


def _parts(call: ast.Call) -> Iterator[ast.expr]:
    for argument in call.args:
        yield from (part for part in ast.walk(argument) if isinstance(part, ast.expr))


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
