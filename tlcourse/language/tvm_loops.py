"""The loop forms of TVMScript beside T.serial: T.grid, T.unroll, T.vectorized, T.parallel.

The NPU's code generators know a loop and an element loop only, so each of these is one of the
two. Loops over threads have no meaning here: a core runs one instruction stream.
"""

from __future__ import annotations

from typing import NoReturn

from tlcourse.language.buffers import index_of
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.frames import Loop
from tlcourse.language.loops import loop_over


@statement
def unroll(start: object, stop: object = None, *, annotations: object = None) -> Loop:
    """A loop as T.serial; the compiler decides itself what to unroll.

    Args:
        start: first value; the number of iterations if `stop` is left out.
        stop: end, not reached.
        annotations: accepted as upstream does, without effect.

    Raises:
        TL120: a bound is no integer.
    """
    return loop_over(start, stop, "serial")


@statement
def vectorized(start: object, stop: object = None, *, annotations: object = None) -> Loop:
    """A loop as T.serial; T.Parallel is the loop that becomes vector operations.

    Args:
        start: first value; the number of iterations if `stop` is left out.
        stop: end, not reached.
        annotations: accepted as upstream does, without effect.

    Raises:
        TL120: a bound is no integer.
    """
    return loop_over(start, stop, "serial")


@statement
def parallel(start: object, stop: object = None, *, annotations: object = None) -> Loop:
    """A loop over elements whose iterations are independent: T.Parallel with one variable.

    Args:
        start: first value; the number of iterations if `stop` is left out.
        stop: end, not reached.
        annotations: accepted as upstream does, without effect.

    Raises:
        TL120: a bound is no integer.
    """
    return loop_over(start, stop, "parallel")


@statement
def grid(*extents: object) -> Loop:
    """Nested loops as T.serial: `for i, j in T.grid(M, N)`.

    Args:
        extents: number of iterations of each loop, outermost first.

    Raises:
        TL109: no extent is given.
        TL120: an extent is no integer.
    """
    if not extents:
        raise builder().fail(
            "TL109",
            "T.grid has no extent",
            why="it opens one loop for each extent",
            fix="write `for i, j in T.grid(M, N):`",
        )
    upper = tuple(index_of(extent, "an extent of T.grid") for extent in extents)
    return Loop(lower=(0,) * len(upper), upper=upper, kind="serial")


@statement
def thread_binding(
    start: object, stop: object = None, thread: object = None, *, annotations: object = None
) -> NoReturn:
    """A loop over GPU threads, which an NPU does not have.

    Raises:
        TL103: always.
    """
    raise builder().fail(
        "TL103",
        "a kernel has no loop over threads",
        why="a core of the NPU runs one stream of instructions, each on a whole tile",
        fix="write `for i in T.Parallel(n):` for elements, and T.Kernel(blocks, is_npu=True) for "
        "blocks",
    )
