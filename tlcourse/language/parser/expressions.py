"""Expressions: names, constants, attributes, subscripts, operators, conditions."""

from __future__ import annotations

import ast
from typing import cast

from tlcourse.language.buffers import Buffer, Element, Region, describe
from tlcourse.language.builder import builder
from tlcourse.language.elsewhere import way_out
from tlcourse.language.host import BINARY, COMPARE, UNARY, entries, item_of
from tlcourse.language.names import is_submodule, near_name
from tlcourse.language.parser.calls import call
from tlcourse.language.parser.conditions import bool_op, if_expression, invert
from tlcourse.language.parser.python_functions import POWER
from tlcourse.language.parser.tracer import Expressions, Tracer
from tlcourse.language.scalar import Expr, Operand


def combine(op: ast.operator, left: object, right: object) -> object:
    """`left op right`, on Python values or scalars of the kernel.

    Raises:
        TL103: it is a power of a value that is known only when the kernel runs.
        TL121: a side is a tile.
        TL130: Python numbers are divided by 0.
    """
    for side in (left, right):
        if isinstance(side, (Buffer, Region)):
            raise _tile_arithmetic(side)
        if isinstance(op, ast.Pow) and isinstance(side, Operand):
            raise _power()
    if isinstance(right, int) and right == 0 and isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)):
        raise builder().fail(
            "TL130",
            "the divisor is 0",
            why="it is computed in Python while the kernel is read",
            fix="check the number to the right of the operator",
        )
    return BINARY[type(op).__name__](left, right)


def _name(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Name)
    return tracer.scopes.look_up(node.id, tracer.build)


def _constant(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Constant)
    return node.value


def _attribute(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Attribute)
    owner = tracer.evaluate(node.value)
    found = getattr(owner, node.attr, None)
    if hasattr(owner, node.attr) and not is_submodule(found):
        return found
    if hasattr(owner, "prim_func"):
        raise _unknown_t_name(tracer, node, owner)
    raise tracer.build.fail(
        "TL104",
        f"{describe(owner)} has no attribute `{node.attr}`",
        why="the value before the dot does not offer it",
        fix=f"{near_name(node.attr, dir(owner))}check the spelling",
    )


def _unknown_t_name(tracer: Tracer, node: ast.Attribute, owner: object) -> Exception:
    prefix = ast.unparse(node.value)
    return tracer.build.fail(
        "TL105",
        f"{prefix} has no function `{node.attr}`",
        why="the language does not know this name",
        fix=way_out(node.attr, owner, prefix),
    )


def _subscript(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Subscript)
    owner = tracer.evaluate(node.value)
    outer, tracer.slice_ends = tracer.slice_ends, []
    key = tracer.evaluate(node.slice)
    ends, tracer.slice_ends = tracer.slice_ends, outer
    if isinstance(owner, (Region, Element)):
        raise tracer.build.fail(
            "TL118",
            f"{describe(owner)} is indexed again",
            why="a slice or element names a place in its buffer once",
            fix=f"write all indices in one pair of brackets: {owner.name}[i, j]",
        )
    found = item_of(owner, key)
    if isinstance(found, Region):
        # A slice keeps its start and extent; the op that computed its end has done its part.
        extents = [extent.value for extent in found.extents if isinstance(extent, Expr)]
        tracer.build.drop_unused(ends, extents)
    return found


def _slice(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Slice)
    lower = None if node.lower is None else tracer.evaluate(node.lower)
    mark = tracer.build.block.last_op
    upper = None if node.upper is None else tracer.evaluate(node.upper)
    tracer.slice_ends += tracer.build.ops_after(mark)
    step = None if node.step is None else tracer.evaluate(node.step)
    return slice(lower, upper, step)


def _tuple(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Tuple)
    return tuple(_elements(tracer, node.elts))


def _list(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.List)
    return _elements(tracer, node.elts)


def _dict(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Dict)
    found: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            found |= cast("dict[object, object]", tracer.evaluate(value))
        else:
            found[tracer.evaluate(key)] = tracer.evaluate(value)
    return found


def _elements(tracer: Tracer, nodes: list[ast.expr]) -> list[object]:
    values: list[object] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(entries(tracer.evaluate(node.value)))
        else:
            values.append(tracer.evaluate(node))
    return values


def _binary(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.BinOp)
    left, right = tracer.evaluate(node.left), tracer.evaluate(node.right)
    if type(node.op).__name__ not in BINARY:
        raise tracer.build.fail(
            "TL103",
            "a kernel has no operator `@`",
            why="matrices are multiplied by the matrix unit, as a tile operation",
            fix="write T.gemm(A, B, C)",
        )
    return combine(node.op, left, right)


def _unary(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.UnaryOp)
    value = tracer.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        return invert(value)
    if isinstance(value, (Buffer, Region)):
        raise _tile_arithmetic(value)
    return UNARY[type(node.op).__name__](value)


def _compare(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.Compare)
    values = [tracer.evaluate(part) for part in (node.left, *node.comparators)]
    found: object = True
    for op, left, right in zip(node.ops, values, values[1:], strict=False):
        result = _compared(op, left, right)
        found = result if found is True else bool_op(found, result, is_and=True)
    return found


def _compared(op: ast.cmpop, left: object, right: object) -> object:
    for side in (left, right):
        if isinstance(side, (Buffer, Region)) and not isinstance(op, (ast.Is, ast.IsNot)):
            raise _tile_arithmetic(side)
    return COMPARE[type(op).__name__](left, right)


def _joined(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.JoinedStr)
    return "".join(str(tracer.evaluate(part)) for part in node.values)


def _formatted(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.FormattedValue)
    value = tracer.evaluate(node.value)
    if isinstance(value, (Operand, Buffer, Region)):
        return ast.unparse(node.value)
    spec = str(tracer.evaluate(node.format_spec)) if node.format_spec else ""
    return format(value, spec)


def _bool_op(tracer: Tracer, node: ast.expr) -> object:
    assert isinstance(node, ast.BoolOp)
    is_and = isinstance(node.op, ast.And)
    found = tracer.evaluate(node.values[0])
    for part in node.values[1:]:
        if not isinstance(found, Operand) and bool(found) != is_and:
            return found
        found = bool_op(found, tracer.evaluate(part), is_and=is_and)
    return found


def _power() -> Exception:
    return builder().fail(
        "TL103",
        "a kernel has no operator `**`",
        why="the NPU has no instruction for it",
        fix=POWER,
    )


def _tile_arithmetic(side: Buffer | Region) -> Exception:
    return builder().fail(
        "TL121",
        f"{describe(side)} stands in a scalar expression",
        why="Python's operators work on single numbers in a kernel",
        fix="use a tile operation, T.vadd(A, B, C), or elements in a loop: C[i] = A[i] + B[i]",
    )


EXPRESSIONS: Expressions = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: if_expression,
    ast.Call: call,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
}
