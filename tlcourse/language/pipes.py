"""The pipes of a core, by the names that upstream gives them."""

from __future__ import annotations

from tlcourse.language.builder import builder
from tlcourse.language.names import near_name

PIPES = (
    "PIPE_S",
    "PIPE_V",
    "PIPE_M",
    "PIPE_MTE1",
    "PIPE_MTE2",
    "PIPE_MTE3",
    "PIPE_MTE4",
    "PIPE_MTE5",
    "PIPE_V2",
    "PIPE_FIX",
    "PIPE_ALL",
    "PIPE_NUM",
    "PIPE_UNASSIGNED",
    "VIRTUAL_PIPE_MTE2_L1A",
    "VIRTUAL_PIPE_MTE2_L1B",
)


_KINDS = "a core has scalar (S), vector (V), matrix (M), data movers (MTE1-3) and FIX pipes"


def check_pipe(name: object, parameter: str) -> None:
    """Refuses a pipe that does not exist.

    Raises:
        TL114: there is no such pipe.
    """
    if name in PIPES:
        return
    raise builder().fail(
        "TL114", f"there is no pipe {name!r}", why=_KINDS, fix=_usual(name), at={parameter: ""}
    )


def warn_of_pipe(name: object) -> None:
    """Warns of a T.rs with a pipe that does not exist; without flags inside, it does nothing.

    Raises:
        TL114: the name is no text.
    """
    if name in PIPES:
        return
    if not isinstance(name, str):
        return check_pipe(name, "pipe")
    builder().warn(
        "TL114",
        f"there is no pipe {name!r}",
        why=f"{_KINDS}; T.rs only says which of them runs the flag and sync calls inside, so "
        "that other statements run as without it",
        fix=_usual(name),
    )


def current_pipe(call: str) -> str:
    """The pipe named by the innermost `T.rs` around a sync call.

    Raises:
        TL114: it names a pipe that does not exist.
        TL115: no `T.rs` stands around it.
    """
    build = builder()
    if build.pipes:
        check_pipe(build.pipes[-1], "")
        return build.pipes[-1]
    raise build.fail(
        "TL115",
        f"T.{call} stands outside `with T.rs(..)`",
        why="a flag is set or waited for by one pipe, and T.rs names it",
        fix=f'write `with T.rs("PIPE_MTE2"):` around T.{call}',
    )


def _usual(name: object) -> str:
    near = near_name(str(name), PIPES)
    return f"{near}the usual ones are PIPE_MTE2, PIPE_V, PIPE_MTE3, PIPE_M, PIPE_FIX"
