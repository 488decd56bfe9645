"""Warnings where a number is rounded another way than its reader may expect.

The same cast rounds in a vector operation and cuts in a scalar loop; `//` and `%` round down
here and towards zero in upstream's compiler.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.bounds import lower_bound
from tlcourse.language.builder import Builder, active
from tlcourse.language.dtype_rules import is_float, is_integer, is_unsigned


def warn_of_rounding(source: str, target: str) -> None:
    """Warns of a float that turns to a signed integer inside T.Parallel.

    Unsigned integers have no vector cast: such a loop stays scalar and there is one result.

    Args:
        source: dtype of the scalar that is cast.
        target: dtype that it gets.
    """
    build = active()
    if build is None or not is_float(source) or not is_integer(target) or is_unsigned(target):
        return
    if not _in_parallel(build):
        return
    build.warn(
        "TL136",
        f"this cast from {source} to {target} rounds if T.Parallel becomes vector operations: "
        "2.7 turns to 3; in a scalar loop it cuts: 2.7 turns to 2",
        why="the vector unit casts with round mode rint (to the nearest, halves to even); a "
        "scalar cast drops what follows the point",
        fix='to choose, cast the tile with T.vcast(src, dst, round_mode="rint") or '
        'round_mode="trunc"; a T.serial loop always cuts',
    )


def warn_of_floor(symbol: str, left: SSAValue, right: SSAValue, dtype: str) -> None:
    """Warns of `//` or `%` on an integer that can be negative, as far as the text tells.

    Args:
        symbol: the operator.
        left: what is divided.
        right: the divisor.
        dtype: dtype of both.
    """
    build = active()
    if build is None or is_unsigned(dtype):
        return
    bounds = [bound for bound in (lower_bound(left), lower_bound(right)) if bound is not None]
    if not bounds or min(bounds) >= 0:
        return
    build.warn(
        "TL137",
        f"a side of this `{symbol}` can be as low as {min(bounds)}: the result is rounded down, "
        "as in Python; upstream's compiler rounds towards zero",
        why="-1 // 4 is -1 here and 0 there, -1 % 4 is 3 here and -1 there",
        fix="keep both sides at 0 or above, for example (x + n) % n for x of at least -n",
    )


def _in_parallel(build: Builder) -> bool:
    op: Operation | None = build.block.parent_op()
    while op is not None:
        if isinstance(op, tl.ForOp) and op.kind.data == "parallel":
            return True
        op = op.parent_op()
    return False
