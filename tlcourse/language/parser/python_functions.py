"""Functions of Python's that cannot compute a value of the kernel, and what to write instead."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Mapping, Sequence

from tlcourse.language.buffers import Buffer, Region, describe
from tlcourse.language.builder import builder
from tlcourse.language.scalar import Operand

POWER = "write x * x for a square, T.exp(y * T.log(x)) for other powers of a positive number"

_INSTEAD: Mapping[Callable[..., object], str] = {
    builtins.abs: "write T.max(x, -x) for a number, T.vabs(A, B) for a tile",
    builtins.pow: POWER,
    builtins.round: 'write T.vcast(A, B, round_mode="rint") for a tile',
    builtins.int: "write T.cast(x, 'int32')",
    builtins.float: "write T.cast(x, 'float32')",
    builtins.divmod: "write x // y and x % y",
    builtins.len: "write A.shape[0] for the first extent of A",
    math.exp: "write T.exp(x) for a number, T.vexp(A, B) for a tile",
    math.log: "write T.log(x) for a number, T.vln(A, B) for a tile",
    math.sqrt: "write T.sqrt(x) for a number, T.vsqrt(A, B) for a tile",
    math.fabs: "write T.max(x, -x) for a number, T.vabs(A, B) for a tile",
    math.pow: POWER,
    math.floor: "write T.cast(x, 'int32') for a number that is not negative",
    math.ceil: "write T.ceildiv(a, b) for a quotient of integers",
}


def check_function(function: Callable[..., object], args: Sequence[object]) -> None:
    """Refuses a function of Python's on values that are known only when the kernel runs.

    Raises:
        TL128: Python would raise, as it has no number to count with.
    """
    instead = _instead(function)
    ours = [value for value in args if isinstance(value, (Operand, Buffer, Region))]
    if not ours or instead is None:
        return
    name = getattr(function, "__name__", "this function")
    raise builder().fail(
        "TL128",
        f"Python's {name} is called with {describe(ours[0])}",
        why="it counts with Python's numbers, while the kernel is read; this value is known only "
        "when the kernel runs",
        fix=instead,
    )


def _instead(function: Callable[..., object]) -> str | None:
    for known, text in _INSTEAD.items():
        if function is known:
            return text
    if getattr(function, "__module__", "") == "math":
        return "compute it with T functions; `help(T)` lists what there is"
    return None
