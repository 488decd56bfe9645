"""Calls: any Python callable may be called; T functions get the places of their arguments."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from typing import cast

from tlcourse.diagnostics import Span
from tlcourse.language import scalar_functions
from tlcourse.language.buffers import Buffer, Region, describe
from tlcourse.language.builder import builder
from tlcourse.language.calls import CALL_SPANS, CallSpans
from tlcourse.language.host import entries
from tlcourse.language.loops import from_range
from tlcourse.language.parser.python_functions import check_function
from tlcourse.language.parser.tracer import Tracer
from tlcourse.language.scalar import Operand

Function = Callable[..., object]


def call(tracer: Tracer, node: ast.expr) -> object:
    """The value of a call.

    Raises:
        TL109: what is called is no function.
        TL128: it is a function of Python's that counts with Python's numbers only.
    """
    assert isinstance(node, ast.Call)
    function = tracer.evaluate(node.func)
    if not callable(function):
        raise tracer.build.fail(
            "TL109",
            f"{describe(function)} is called like a function",
            why="only functions can be called",
            fix="remove the brackets, or use [..] for an element or slice",
        )
    args, arg_spans = _positional(tracer, node)
    kwargs, keyword_spans = _keyword(tracer, node)
    chosen = _replaced(function, args)
    check_function(chosen, args)
    CALL_SPANS.set(
        CallSpans(positional=arg_spans, keyword=keyword_spans) if _is_t_function(chosen) else None
    )
    return chosen(*args, **kwargs)


def _positional(tracer: Tracer, node: ast.Call) -> tuple[list[object], tuple[Span, ...]]:
    values: list[object] = []
    spans: list[Span] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            unpacked = list(entries(tracer.evaluate(arg.value)))
        else:
            unpacked = [tracer.evaluate(arg)]
        values += unpacked
        spans += [tracer.span(arg)] * len(unpacked)
    return values, tuple(spans)


def _keyword(tracer: Tracer, node: ast.Call) -> tuple[dict[str, object], dict[str, Span]]:
    values: dict[str, object] = {}
    spans: dict[str, Span] = {}
    for keyword in node.keywords:
        value = tracer.evaluate(keyword.value)
        if keyword.arg is not None:
            unpacked: Mapping[str, object] = {keyword.arg: value}
        else:
            unpacked = cast("Mapping[str, object]", value)
        values |= unpacked
        spans |= dict.fromkeys(unpacked, tracer.span(keyword.value))
    return values, spans


def _is_t_function(function: Function) -> bool:
    return hasattr(function, "__wrapped__") and (
        getattr(function, "__module__", "").startswith("tlcourse.language")
    )


def _replaced(function: Function, args: list[object]) -> Function:
    """What a Python builtin means in a kernel."""
    if function is builtins.range:
        return from_range
    if function is builtins.print:
        return _print
    if function in (builtins.min, builtins.max) and any(isinstance(a, Operand) for a in args):
        extreme = scalar_functions.min if function is builtins.min else scalar_functions.max
        return lambda *values: _folded(extreme, values)
    return function


def _folded(extreme: Callable[[object, object], object], values: tuple[object, ...]) -> object:
    found = values[0]
    for value in values[1:]:
        found = extreme(found, value)
    return found


def _print(*values: object, **options: object) -> None:
    builder().warn(
        "TL135",
        "Python's print runs once, while the kernel is read",
        why="the kernel itself runs later, on the NPU, where Python is not",
        fix="write T.print(value, msg='..') to print while the kernel runs",
    )
    own = (Operand, Buffer, Region)
    builtins.print(*(describe(v) if isinstance(v, own) else v for v in values))
