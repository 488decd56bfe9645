"""What makes a Python function a T function: it needs a kernel around it, and errors can
point at the arguments of its call.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from tlcourse.diagnostics import Label, Span, TLError, error
from tlcourse.language.builder import Builder, active
from tlcourse.language.elsewhere import KEYWORDS
from tlcourse.language.host import entries
from tlcourse.language.source import place_of_frame

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class CallSpans:
    """Places of a call's arguments in the learner's text."""

    positional: tuple[Span, ...] = ()
    keyword: Mapping[str, Span]


# The spans of the call that the parser is about to make; the T function takes them.
CALL_SPANS: ContextVar[CallSpans | None] = ContextVar("tlcourse_call_spans", default=None)


def statement(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a T function that works inside `with T.Kernel` only."""
    return _guarded(function, in_kernel=True)


def expression(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a T function that works anywhere inside a `T.prim_func`."""
    return _guarded(function, in_kernel=False)


def flexible(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a T function that works in a factory, too: on Python numbers and symbolic sizes."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        build = active()
        if build is None:
            return function(*args, **kwargs)
        return _call(build, function, signature, args, kwargs)

    return call


def _guarded(function: Callable[P, R], *, in_kernel: bool) -> Callable[P, R]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        build = active()
        if build is None:
            raise _outside(function.__name__)
        if in_kernel and not build.in_kernel:
            raise _before_kernel(build, function.__name__)
        return _call(build, function, signature, args, kwargs)

    return call


def _call(
    build: Builder,
    function: Callable[..., R],
    signature: inspect.Signature,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
) -> R:
    try:
        signature.bind(*args, **kwargs)
    except TypeError as problem:
        raise _wrong_arguments(build, function.__name__, signature, kwargs, problem) from None
    with build.calling(_spans(signature)):
        return function(*args, **kwargs)


def _spans(signature: inspect.Signature) -> dict[str, Span]:
    spans = CALL_SPANS.get()
    if spans is None:
        return {}
    CALL_SPANS.set(None)
    found = signature.bind_partial(*spans.positional, **spans.keyword).arguments
    named: dict[str, Span] = {}
    for name, span in found.items():
        parts = {name: span} if isinstance(span, Span) else _numbered(name, span)
        named |= {key: part for key, part in parts.items() if isinstance(part, Span)}
    return named


def _numbered(name: str, spans: object) -> dict[str, object]:
    """Spans of the arguments behind a `*parameter`: blocks0, blocks1 and so on."""
    return {f"{name}{index}": span for index, span in enumerate(entries(spans))}


def _outside(name: str) -> TLError:
    span, sources = place_of_frame(sys._getframe(2))  # pyright: ignore[reportPrivateUsage]
    return error(
        "TL108",
        f"T.{name} is called outside a kernel",
        why="T functions describe work of the NPU; they mean something inside @T.prim_func only",
        fix="move the call into a function decorated with @T.prim_func, or use @T.macro",
        labels=(Label(span=span),) if span else (),
        sources=sources,
    )


def _before_kernel(build: Builder, name: str) -> TLError:
    return build.fail(
        "TL110",
        f"T.{name} stands outside `with T.Kernel(..)`",
        why="code runs on the cores of the NPU inside a kernel frame only",
        fix="indent the call into `with T.Kernel(blocks, is_npu=True) as (cid, vid):`",
    )


def _wrong_arguments(
    build: Builder,
    name: str,
    signature: inspect.Signature,
    kwargs: Mapping[str, object],
    problem: TypeError,
) -> TLError:
    unknown = [key for key in kwargs if key not in signature.parameters]
    near = difflib.get_close_matches(unknown[0], signature.parameters, 1) if unknown else []
    hint = f"did you mean {near[0]}=? " if near else ""
    if unknown and unknown[0] in KEYWORDS:
        hint = f"{KEYWORDS[unknown[0]]}; "
    CALL_SPANS.set(None)
    return build.fail(
        "TL109",
        f"T.{name} is called with other arguments than it takes: {problem}",
        why="the call does not match the function's parameters",
        fix=f"{hint}the call is T.{name}{_readable(signature)}",
    )


def _readable(signature: inspect.Signature) -> str:
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    return str(inspect.Signature(bare))
