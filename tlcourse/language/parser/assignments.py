"""Assignments: names for values, elements of buffers, several targets at once."""

from __future__ import annotations

import ast
from dataclasses import replace

from xdsl.dialects.builtin import StringAttr

from tlcourse.dialects import tl
from tlcourse.language.buffers import Buffer, Element, describe
from tlcourse.language.host import entries, is_sequence
from tlcourse.language.meta import MetaVar
from tlcourse.language.parser.expressions import combine
from tlcourse.language.parser.tracer import Tracer
from tlcourse.language.scalar import Expr, Operand, to_expr


def assign(tracer: Tracer, node: ast.stmt) -> None:
    """`x = value`, `A[i, j] = value`, `a, b = values`.

    Raises:
        TL127: several targets in a row, or a target that nothing can be assigned to.
    """
    assert isinstance(node, ast.Assign)
    if len(node.targets) > 1:
        raise tracer.build.fail(
            "TL127",
            "one value is assigned to several targets in a row",
            why="a kernel names a value once",
            fix="write one assignment a line",
        )
    value = tracer.evaluate(node.value)
    with tracer.build.at(tracer.span(node.value)):
        bind(tracer, node.targets[0], value)


def annotated(tracer: Tracer, node: ast.stmt) -> None:
    """`x: T.int32 = value`: the annotation says the dtype."""
    assert isinstance(node, ast.AnnAssign)
    if node.value is None:
        raise tracer.build.fail(
            "TL127",
            "a name is declared without a value",
            why="a name of a kernel is a value, not a variable",
            fix="assign a value, or allocate a buffer",
        )
    dtype, value = tracer.evaluate(node.annotation), tracer.evaluate(node.value)
    with tracer.build.at(tracer.span(node.value)):
        if isinstance(dtype, str) and isinstance(value, (int, float, Operand)):
            value = to_expr(value, str(dtype))
        bind(tracer, node.target, value)


def augmented(tracer: Tracer, node: ast.stmt) -> None:
    """`x += value`, `A[i, j] += value`."""
    assert isinstance(node, ast.AugAssign)
    target = tracer.evaluate(node.target)
    value = tracer.evaluate(node.value)
    result = tracer.python(lambda: combine(node.op, target, value))
    if isinstance(target, Element):
        target.store(result)
        return
    bind(tracer, node.target, result)


def bind(tracer: Tracer, target: ast.expr, value: object, *, as_let: bool = True) -> None:
    """Gives a value to a target.

    Args:
        tracer: reads the targets.
        target: name, element or tuple.
        value: what it gets.
        as_let: a scalar becomes a `tl.let`; loop variables and block indices do not.

    Raises:
        TL127: nothing can be assigned to the target, or the numbers of values differ.
    """
    match target:
        case ast.Name() if not as_let and is_sequence(value) and len(entries(value)) > 1:
            raise _miscounted(tracer, 1, value)
        case ast.Name(id=name):
            tracer.scopes.bind(name, _named(tracer, name, value, as_let), tracer.build)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for part, item in zip(targets, _unpacked(tracer, target, value), strict=True):
                bind(tracer, part, item, as_let=as_let)
        case ast.Subscript():
            _store(tracer, target, value)
        case _:
            raise _no_target(tracer, target)


def _named(tracer: Tracer, name: str, value: object, as_let: bool) -> object:
    if isinstance(value, MetaVar):
        return value.value
    if isinstance(value, Buffer):
        return _named_buffer(name, value)
    if not isinstance(value, (int, float, Operand)):
        return value
    scalar = to_expr(value)
    if not as_let:
        if name != "_":
            scalar.value.name_hint = tl.name_hint(name)
        return scalar
    let = tracer.build.emit(tl.LetOp(name, scalar.value))
    return Expr(let.result, scalar.dtype, known=scalar.known)


def _named_buffer(name: str, value: Buffer) -> Buffer:
    op = value.value.owner
    if value.name or not isinstance(op, tl.AllocOp):
        return value
    op.label = StringAttr(name)
    op.result.name_hint = tl.name_hint(name)
    return replace(value, name=name)


def _unpacked(tracer: Tracer, target: ast.Tuple | ast.List, value: object) -> list[object]:
    wanted = len(target.elts)
    values = list(entries(value)) if is_sequence(value) else []
    if len(values) == wanted:
        return values
    raise _miscounted(tracer, wanted, value)


def _miscounted(tracer: Tracer, wanted: int, value: object) -> Exception:
    shown = f"{len(entries(value))} values" if is_sequence(value) else describe(value)
    return tracer.build.fail(
        "TL127",
        f"{wanted} name{'s stand' if wanted != 1 else ' stands'} for {shown}",
        why="each name takes one value",
        fix="T.Kernel(n, is_npu=True) gives (cid, vid), T.Kernel(nx, ny, is_npu=True) gives "
        "(bx, by, vid), T.Parallel one variable for each extent",
    )


def _store(tracer: Tracer, target: ast.Subscript, value: object) -> None:
    place = tracer.evaluate(target)
    if not isinstance(place, Element):
        raise tracer.build.fail(
            "TL127",
            f"a value is assigned to {describe(place)}",
            why="`=` writes one element; tiles are written by operations",
            fix="write T.copy(src, A[0:4, :]), T.fill(A, value), or A[i, j] = value",
        )
    if not isinstance(value, (int, float, Operand)):
        raise tracer.build.fail(
            "TL127",
            f"an element of `{place.name}` is set to {describe(value)}",
            why="an element is one number",
            fix="assign a scalar; tiles are copied with T.copy(src, dst)",
        )
    place.store(value)


def _no_target(tracer: Tracer, target: ast.expr) -> Exception:
    with tracer.build.at(tracer.span(target)):
        return tracer.build.fail(
            "TL127",
            "nothing can be assigned to this",
            why="a kernel assigns to names and to elements of buffers",
            fix="write `x = ..` or `A[i, j] = ..`",
        )
