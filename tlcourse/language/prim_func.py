"""@T.prim_func: reads the decorated function and keeps its Tile IR."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import overload

from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import Diagnostic, SourceMap, TLError, error
from tlcourse.language.parser.function import read_function
from tlcourse.language.script import script_of
from tlcourse.language.source import capture, retitled


@dataclass(frozen=True, kw_only=True, eq=False)
class PrimFunc:
    """A kernel as Tile IR, before any pass and in no mode yet.

    Args:
        name: the function's name.
        module: the Tile IR; clone it before changing it.
        sources: the texts that its locations point into.
        warnings: what the learner should hear although the kernel is accepted.
    """

    name: str
    module: ModuleOp
    sources: SourceMap
    warnings: tuple[Diagnostic, ...] = field(default=())

    @property
    def __name__(self) -> str:
        return self.name

    def script(self) -> str:
        """The kernel as Python-like text, with regions and names resolved."""
        return script_of(self.module)


@overload
def prim_func(func: Callable[..., object]) -> PrimFunc: ...
@overload
def prim_func(
    func: None = None, *, private: bool = False
) -> Callable[[Callable[..., object]], PrimFunc]: ...
def prim_func(
    func: Callable[..., object] | None = None, *, private: bool = False
) -> PrimFunc | Callable[[Callable[..., object]], PrimFunc]:
    """Reads a function as a kernel. Its body is parsed, never executed as Python.

    Args:
        func: the function; left out in the form `@T.prim_func()`.
        private: accepted as upstream does, without effect.

    Raises:
        TL101: the function's text cannot be found.
        TL1xx, TL2xx: something in the kernel is not what the language takes.
    """
    scope = dict(sys._getframe(1).f_locals)  # pyright: ignore[reportPrivateUsage]
    if func is None:
        return lambda function: _read(function, scope)
    return _read(func, scope)


def _read(function: Callable[..., object], scope: dict[str, object]) -> PrimFunc:
    if not isinstance(function, FunctionType):
        raise error(
            "TL107",
            f"T.prim_func is applied to a {type(function).__name__}",
            why="it reads the text of a function",
            fix="write `@T.prim_func` above a `def`",
        )
    captured = capture(function)
    try:
        read = read_function(function, captured, scope)
    except TLError as problem:
        problem.sources = retitled(problem.sources)
        problem.__traceback__ = None
        raise
    return PrimFunc(
        name=function.__name__,
        module=read.module,
        sources=read.sources,
        warnings=read.warnings,
    )
