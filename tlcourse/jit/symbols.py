"""Finds the values of a kernel's symbols in the shapes of a call's tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tlcourse import extents
from tlcourse.records import Parameter

Shaped = tuple[Parameter, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a symbol's value was read: a dimension of a parameter's tensor."""

    value: int
    parameter: Parameter
    dimension: int


def bind(names: Sequence[str], tensors: Sequence[Shaped]) -> dict[str, Origin]:
    """The symbols that the shapes determine.

    A symbol takes the first dimension that is the bare symbol, else the first that is
    `a * symbol + b` with numbers a and b and divides evenly. Others are left out.
    """
    found: dict[str, Origin] = {}
    for name in names:
        origin = _bare(name, tensors) or _affine(name, tensors)
        if origin is not None:
            found[name] = origin
    return found


def _bare(name: str, tensors: Sequence[Shaped]) -> Origin | None:
    for parameter, dimension, extent, size in _dimensions(tensors):
        if extent == name:
            return Origin(value=size, parameter=parameter, dimension=dimension)
    return None


def _affine(name: str, tensors: Sequence[Shaped]) -> Origin | None:
    for parameter, dimension, extent, size in _dimensions(tensors):
        line = _line(extents.parse(extent), name)
        if line is not None and line[0] != 0 and (size - line[1]) % line[0] == 0:
            value = (size - line[1]) // line[0]
            return Origin(value=value, parameter=parameter, dimension=dimension)
    return None


def _dimensions(tensors: Sequence[Shaped]) -> Iterator[tuple[Parameter, int, str, int]]:
    for parameter, shape in tensors:
        for dimension, (extent, size) in enumerate(zip(parameter.extents, shape, strict=True)):
            yield parameter, dimension, extent.strip(), size


def _line(node: ast.expr, name: str) -> tuple[int, int] | None:
    """(a, b) of an extent that is `a * name + b`, else None."""
    match node:
        case ast.Constant(value=int(value)):
            return 0, value
        case ast.Name(id=found) if found == name:
            return 1, 0
        case ast.UnaryOp(operand=operand):
            return _combined(ast.Mult(), (0, -1), _line(operand, name))
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(op, _line(left, name), _line(right, name))
        case _:
            return None


def _combined(
    op: ast.operator, left: tuple[int, int] | None, right: tuple[int, int] | None
) -> tuple[int, int] | None:
    if left is None or right is None:
        return None
    (a, b), (c, d) = left, right
    match op:
        case ast.Add():
            return a + c, b + d
        case ast.Sub():
            return a - c, b - d
        case ast.Mult() if a == 0 or c == 0:
            return a * d + b * c, b * d
        case _:
            return None
