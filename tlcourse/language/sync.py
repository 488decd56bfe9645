"""Synchronisation by hand (Expert form): flags inside a core and across the cores of a block."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tlcourse.dialects import tl
from tlcourse.language.affine import ssa
from tlcourse.language.buffers import index_of
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.pipes import check_pipe, current_pipe

MAX_EVENT = 15
MAX_VENDOR_EVENT = 7


@statement
def set_flag(other: str, event_id: object = 0) -> None:
    """The pipe of the surrounding T.rs signals another pipe of its core after its earlier work.

    Args:
        other: pipe that will wait, for example "PIPE_V".
        event_id: 0 to 7 (up to 15 where upstream's pages allow it).

    Raises:
        TL114: there is no such pipe.
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    pipe, event = _flag("set_flag", other, event_id)
    builder().emit(tl.SetFlagOp(pipe, other, event))


@statement
def wait_flag(other: str, event_id: object = 0) -> None:
    """The pipe of the surrounding T.rs stands until another pipe of its core set the flag.

    Args:
        other: pipe that sets the flag, for example "PIPE_MTE2".
        event_id: 0 to 7 (up to 15 where upstream's pages allow it).

    Raises:
        TL114: there is no such pipe.
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    pipe, event = _flag("wait_flag", other, event_id)
    builder().emit(tl.WaitFlagOp(pipe, other, event))


@statement
def pipe_barrier(pipe: str) -> None:
    """Later work of a pipe waits for its earlier work; "PIPE_ALL" means all pipes of the core.

    Args:
        pipe: for example "PIPE_V".

    Raises:
        TL114: there is no such pipe.
    """
    check_pipe(pipe, "pipe")
    builder().emit(tl.PipeBarrierOp(pipe))


@statement
def sync_block_set(id: object) -> None:
    """Raises a flag for the other kind of core once the pipe of the T.rs around it has drained.

    The flag counts: it may be raised up to 15 times before the other side waits. One raise by
    the cube core releases both vector cores; vector cores release the cube core together.

    Args:
        id: flag, 0 to 15.

    Raises:
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    builder().emit(tl.SyncBlockSetOp(current_pipe("sync_block_set"), _event(id, "id")))


@statement
def sync_block_wait(id: object) -> None:
    """The pipe of the T.rs around it waits for one raise of a flag by the other kind of core.

    Args:
        id: flag, 0 to 15.

    Raises:
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    builder().emit(tl.SyncBlockWaitOp(current_pipe("sync_block_wait"), _event(id, "id")))


@statement
def block_barrier(id: object) -> None:
    """The pipe of the T.rs around it waits until all blocks have come here, on cores of its kind.

    All blocks must run at the same time: no more blocks than cores.

    Args:
        id: flag, 0 to 15.

    Raises:
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    builder().emit(tl.BlockBarrierOp(current_pipe("block_barrier"), _event(id, "id")))


@statement
def subblock_barrier(id: object) -> None:
    """The pipe of the T.rs around it waits until both vector cores of the block have come here.

    Args:
        id: flag, 0 to 15.

    Raises:
        TL115: no T.rs stands around it.
        TL131: the id is out of range.
    """
    builder().emit(tl.SubblockBarrierOp(current_pipe("subblock_barrier"), _event(id, "id")))


npuir_set_flag = set_flag
npuir_wait_flag = wait_flag
npuir_pipe_barrier = pipe_barrier
npuir_sync_block_set = sync_block_set
npuir_sync_block_wait = sync_block_wait


def _flag(call: str, other: str, event_id: object) -> tuple[str, SSAValue]:
    pipe = current_pipe(call)
    check_pipe(other, "other")
    _warn_above_vendor(event_id)
    return pipe, _event(event_id, "event_id")


def _event(value: object, parameter: str) -> SSAValue:
    event = index_of(value, f"`{parameter}`")
    if not isinstance(event, int) or 0 <= event <= MAX_EVENT:
        return ssa(event)
    raise builder().fail(
        "TL131",
        f"there is no flag {event}",
        why=f"a core has the flags 0 to {MAX_EVENT}",
        fix="reuse a small number; a flag is free again once it was waited for",
        at={parameter: ""},
    )


def _warn_above_vendor(event_id: object) -> None:
    if isinstance(event_id, int) and MAX_VENDOR_EVENT < event_id <= MAX_EVENT:
        builder().warn(
            "TL131",
            f"flag {event_id} is above {MAX_VENDOR_EVENT}",
            why="the vendor documents the flags 0 to 7 inside a core",
            fix="use a flag from 0 to 7",
        )
