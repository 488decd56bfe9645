"""Small integer expressions over symbols: shapes, grids and workspace sizes as text.

`"(M + 63) // 64"` is an extent. One evaluator serves argument binding, output shapes, the
grid and workspace sizes; it walks the syntax tree and never calls Python's `eval`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_CALLS: dict[str, Callable[..., int]] = {"min": min, "max": max}


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Reads an extent: integers, symbols, + - * // %, min(..), max(..) and brackets.

    Raises:
        ValueError: the text is something else.
    """
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as problem:
        raise ValueError(f"not an extent: {text!r}") from problem
    _check(tree, text)
    return tree


@lru_cache(maxsize=4096)
def symbols(text: str) -> tuple[str, ...]:
    """The symbols of an extent, each once, in order of appearance."""
    names = [
        node.id
        for node in ast.walk(parse(text))
        if isinstance(node, ast.Name) and node.id not in _CALLS
    ]
    return tuple(dict.fromkeys(names))


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """The value of an extent when each symbol has a value.

    Raises:
        KeyError: a symbol has no value.
        ZeroDivisionError: the extent divides by zero.
    """
    return int(text) if text.isdecimal() else _value(parse(text), values)


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Constant(value=int()) | ast.Name():
            return
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _check(operand, text)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, text)
            return _check(right, text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS and args:
            for arg in args:
                _check(arg, text)
        case _:
            raise ValueError(f"not an extent: {text!r}")


def _value(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _CALLS[name](*(_value(arg, values) for arg in args))
        case _:
            raise AssertionError(f"parse() let {ast.dump(node)} through")
