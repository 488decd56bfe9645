"""T.serial, T.Pipelined and T.Parallel: what a kernel's `for` iterates over."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.language.affine import Index
from tlcourse.language.buffers import index_of
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.frames import Loop


@statement
def serial(start: object, stop: object = None, *, annotations: object = None) -> Loop:
    """A loop whose iterations run one after the other: `for i in T.serial(n)`.

    Args:
        start: first value; the number of iterations if `stop` is left out.
        stop: end, not reached.
        annotations: accepted as upstream does, without effect.

    Raises:
        TL120: a bound is no integer.
    """
    return loop_over(start, stop)


@statement
def Pipelined(
    start: object,
    stop: object = None,
    num_stages: int = 0,
    order: object = None,
    stage: object = None,
    sync: object = None,
    group: object = None,
) -> Loop:
    """A loop whose copies and computations may overlap: `for k in T.Pipelined(n, num_stages=2)`.

    The meaning is that of T.serial. The compiler overlaps iterations by double buffering.

    Args:
        start: first value; the number of iterations if `stop` is left out.
        stop: end, not reached.
        num_stages: how many iterations may be under way at once.
        order: accepted as upstream does, without effect.
        stage: accepted as upstream does, without effect.
        sync: accepted as upstream does, without effect.
        group: accepted as upstream does, without effect.

    Raises:
        TL120: a bound is no integer.
    """
    lower, upper = _bounds(start, stop)
    stages = num_stages if num_stages > 0 else None
    return Loop(lower=(lower,), upper=(upper,), kind="pipelined", num_stages=stages)


@statement
def Parallel(*extents: object, coalesced_width: object = None) -> Loop:
    """A nest of loops over elements whose iterations are independent of each other.

    `for i, j in T.Parallel(M, N): C[i, j] = A[i, j] + B[i, j]` becomes vector operations
    where the compiler can do so.

    Args:
        extents: number of iterations of each loop, outermost first.
        coalesced_width: accepted as upstream does, without effect.

    Raises:
        TL109: no extent is given.
        TL120: an extent is no integer.
    """
    if not extents:
        raise builder().fail(
            "TL109",
            "T.Parallel has no extent",
            why="it opens one loop for each extent",
            fix="write `for i, j in T.Parallel(M, N):`",
        )
    upper = tuple(index_of(extent, "an extent of T.Parallel") for extent in extents)
    return Loop(lower=(0,) * len(upper), upper=upper, kind="parallel")


def from_range(*bounds: object) -> Loop:
    """Python's `range` in a kernel: the same as T.serial."""
    if len(bounds) == 3 and bounds[2] != 1:
        raise builder().fail(
            "TL103",
            "`range` in a kernel takes no step",
            why="loops of a kernel count up by 1",
            fix="loop over the number of steps and multiply: `i = start + step * n`",
        )
    if not 1 <= len(bounds) <= 3:
        raise builder().fail(
            "TL109",
            f"range takes 1 or 2 arguments in a kernel, {len(bounds)} are given",
            why="the loop needs an end, and may have a start",
            fix="write `for i in range(n):`",
        )
    return loop_over(bounds[0], bounds[1] if len(bounds) > 1 else None)


def loop_over(start: object, stop: object, kind: tl.LoopKind = "serial") -> Loop:
    """One loop from `start` to `stop`, or from 0 to `start`.

    Raises:
        TL120: a bound is no integer.
    """
    lower, upper = _bounds(start, stop)
    return Loop(lower=(lower,), upper=(upper,), kind=kind)


def _bounds(start: object, stop: object) -> tuple[Index, Index]:
    if stop is None:
        return 0, index_of(start, "the number of iterations")
    return index_of(start, "the start of a loop"), index_of(stop, "the end of a loop")
