"""Calls of a jit function: what it remembers them by, and what it says when they go wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Number
from types import FrameType, TracebackType
from typing import cast

import torch

from tlcourse.diagnostics import Label, SourceMap, Span, TLError, error
from tlcourse.language import PrimFunc
from tlcourse.language.names import near_name
from tlcourse.language.source import place_of_frame, place_of_line

Factory = Callable[..., object]


def name_of(factory: Factory) -> str:
    """How messages call a function."""
    return getattr(factory, "__name__", "the function")


def check_call(
    factory: Factory, args: Sequence[object], kwargs: Mapping[str, object], caller: FrameType | None
) -> None:
    """Refuses a call that the function cannot take.

    Args:
        factory: the learner's function.
        args: positional arguments.
        kwargs: arguments by name.
        caller: the frame that calls.

    Raises:
        TL426: an argument is unknown, missing or one too many.
        TL428: a tensor is passed.
    """
    if any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values())):
        raise _called_with_tensors(name_of(factory))
    signature = _signature(factory)
    if signature is None:
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as problem:
        raise _does_not_fit(factory, signature, kwargs, str(problem), caller) from None


def key_of(
    factory: Factory, args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[Hashable, ...]:
    """What the kernel for a call is remembered by: equal numbers of other types are others.

    Raises:
        TL423: an argument can change.
    """
    key = (typed(tuple(args)), *((name, typed(kwargs[name])) for name in sorted(kwargs)))
    try:
        hash(key)
    except TypeError:
        raise _not_hashable(name_of(factory)) from None
    return key


def typed(value: object) -> Hashable:
    """A value that differs where types of numbers differ: 32, 32.0 and True, 0.0 and -0.0."""
    if isinstance(value, tuple):
        entries = cast("tuple[object, ...]", value)
        return (type(entries), *(typed(entry) for entry in entries))
    if isinstance(value, Number):
        return type(value), value, repr(value)
    return cast("Hashable", value)


def make_prim_func(
    factory: Factory, args: Sequence[object], kwargs: Mapping[str, object]
) -> PrimFunc:
    """What the learner's function makes of its arguments.

    Raises:
        TL420: it gives no prim_func.
        TL429: it raised; `__cause__` of the error is what it raised.
    """
    try:
        made = factory(*args, **kwargs)
    except TLError:
        raise
    except Exception as problem:
        raise _raised(factory, problem) from problem
    return as_prim_func(name_of(factory), made)


def as_prim_func(name: str, got: object) -> PrimFunc:
    """`got`, if it is a prim_func.

    Raises:
        TL420: it is something else.
    """
    if isinstance(got, PrimFunc):
        return got
    described = "None" if got is None else f"a {type(got).__name__}"
    raise error(
        "TL420",
        f"{name} needs a T.prim_func, but got {described}",
        why="a kernel is compiled from what @T.prim_func makes of a Python function",
        fix="write @T.prim_func above the kernel function, and return that function",
    )


def _signature(factory: Factory) -> inspect.Signature | None:
    try:
        return inspect.signature(factory)
    except (TypeError, ValueError):
        return None


def _does_not_fit(
    factory: Factory,
    signature: inspect.Signature,
    kwargs: Mapping[str, object],
    problem: str,
    caller: FrameType | None,
) -> TLError:
    name = name_of(factory)
    names = list(signature.parameters)
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    unknown = next((key for key in kwargs if key not in names and not takes_any), None)
    near = near_name(unknown, names) if unknown else ""
    if unknown:
        # A misspelt name leaves its parameter without a value, which Python tells first.
        problem = f"got an unexpected keyword argument '{unknown}'"
    span, sources = place_of_frame(caller) if caller else (None, SourceMap())
    return error(
        "TL426",
        f"{name} is called with other arguments than it takes: {problem}",
        why=f"its parameters are {', '.join(names) or 'none'}",
        fix=f"{near}call {name}({', '.join(names)})",
        labels=_labels(span),
        sources=sources,
    )


def _raised(factory: Factory, problem: Exception) -> TLError:
    """TL429, at the last line of the learner's file that ran."""
    own = _from(factory, problem.__traceback__)
    if own is not None:
        problem.__traceback__ = own
    span, sources = _last_line(factory, own)
    name, said = name_of(factory), str(problem)
    return error(
        "TL429",
        f"{name} raised {type(problem).__name__}{': ' + said if said else ''}",
        why="this line of the function that makes the kernel ended it, before there was a kernel",
        fix=f"check the arguments of {name}, and what the line computes from them",
        labels=_labels(span),
        sources=sources,
    )


def _from(factory: Factory, frames: TracebackType | None) -> TracebackType | None:
    """The frames from the function's own file on; ours above it are left out."""
    while frames is not None and not _is_own(factory, frames):
        frames = frames.tb_next
    return frames


def _last_line(factory: Factory, frames: TracebackType | None) -> tuple[Span | None, SourceMap]:
    last: TracebackType | None = None
    while frames is not None:
        last = frames if _is_own(factory, frames) else last
        frames = frames.tb_next
    return place_of_line(last.tb_frame, last.tb_lineno) if last else (None, {})


def _is_own(factory: Factory, frames: TracebackType) -> bool:
    code = getattr(inspect.unwrap(factory), "__code__", None)
    return code is not None and frames.tb_frame.f_code.co_filename == code.co_filename


def _labels(span: Span | None) -> tuple[Label, ...]:
    return (Label(span=span),) if span else ()


def _not_hashable(name: str) -> TLError:
    return error(
        "TL423",
        f"an argument of {name} is a list, a dict or something else that can change",
        why=f"{name} remembers the kernel for its arguments, so they have to stay as they are",
        fix="pass numbers, texts and tuples",
    )


def _called_with_tensors(name: str) -> TLError:
    return error(
        "TL428",
        f"{name} was called with tensors, but it makes a kernel",
        why="a jit function takes shapes and tile sizes; the kernel that it returns takes tensors",
        fix=f"write kernel = {name}(..sizes..) and then kernel(..tensors..)",
    )
