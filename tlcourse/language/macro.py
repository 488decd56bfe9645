"""@T.macro: statements under a name, put in place of each call while a kernel is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType

from tlcourse.diagnostics import error
from tlcourse.language.builder import active
from tlcourse.language.parser.function import run_macro
from tlcourse.language.source import Captured, capture


class Macro:
    """A macro: its function and its text."""

    def __init__(self, function: FunctionType, captured: Captured) -> None:
        self._function = function
        self._captured = captured

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Reads the macro's body in place of the call.

        Raises:
            TL108: no kernel stands around the call.
            TL134: the arguments do not fit, or macros call each other without end.
        """
        build = active()
        name = self._function.__name__
        if build is None:
            raise error(
                "TL108",
                f"the macro {name} is called outside a kernel",
                why="a macro is a piece of a kernel's text",
                fix="call it inside a function decorated with @T.prim_func",
            )
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except TypeError as problem:
            raise build.fail(
                "TL134",
                f"the macro {name} is called with other arguments than it takes: {problem}",
                why="the call does not match the macro's parameters",
                fix=f"the macro is {name}{inspect.signature(self._function)}",
            ) from None
        bound.apply_defaults()
        return run_macro(self._function, self._captured, dict(bound.arguments), build)


def macro(func: Callable[..., object] | None = None, *, hygienic: bool = True) -> object:
    """Makes a macro of a function; it may call any T function and other macros.

    Args:
        func: the function; left out in the form `@T.macro()`.
        hygienic: accepted as upstream does; names inside never leak out.

    Raises:
        TL101: the function's text cannot be found.
        TL107: it is no function.
    """
    if func is None:
        return _macro
    return _macro(func)


def _macro(function: Callable[..., object]) -> Macro:
    if not isinstance(function, FunctionType):
        raise error(
            "TL107",
            f"T.macro is applied to a {type(function).__name__}",
            why="it reads the text of a function",
            fix="write `@T.macro` above a `def`",
        )
    return Macro(function, capture(function))
