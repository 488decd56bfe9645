"""The instructions of a kernel's executable form, numbered, as lessons and edits name them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tlcourse.diagnostics import SourceMap, Span
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import SYNC, BlockFlagOp, FlagOp, PipeBarrierOp
from tlcourse.dialects.locations import span_of
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.simulator.generate import device_functions

_AGENTS = {"cube": "aic", "vector": "aiv"}
# Flags that a matrix product takes as arguments: what they say, who raises, who waits.
_PRODUCT_FLAGS = (
    ("waits until a is in L1", "MTE2", "MTE1"),
    ("waits until b is in L1", "MTE2", "MTE1"),
    ("says that a is free in L1", "MTE1", "MTE2"),
    ("says that b is free in L1", "MTE1", "MTE2"),
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One instruction of a kernel's executable form.

    Args:
        number: its place in the listing, from 0: all of the cube core, then all of the
            vector cores. A flag that a matrix product waits for or raises has its own line.
        agent: `aic` or `aiv`.
        op: its name without the dialect.
        text: what it is; of a flag the pipes and the id.
        is_sync: a flag or a barrier.
        pipes: who raises and who waits; of a barrier the pipe, of others the pipe that works.
        span: the learner's line, where known.
    """

    number: int
    agent: str
    op: str
    text: str
    is_sync: bool
    pipes: tuple[str, ...]
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a line stands: an op, or one flag among the arguments of a product."""

    agent: str
    op: Operation
    flag: int = -1

    @property
    def is_sync(self) -> bool:
        """A flag or a barrier."""
        return self.flag >= 0 or isinstance(self.op, tuple(SYNC))


def listing(executable: ModuleOp, sources: SourceMap) -> tuple[Line, ...]:
    """All instructions of the device functions, in the order of the text.

    Args:
        executable: executable HIVM.
        sources: the texts that its locations point into.

    Raises:
        TLError: TL531 the module is not executable.
    """
    return tuple(
        Line(
            number=number,
            agent=place.agent,
            op=short_name(place.op),
            text=_text(place),
            is_sync=place.is_sync,
            pipes=_pipes(place),
            span=span_of(place.op, sources),
        )
        for number, place in enumerate(places(executable, sources))
    )


def places(executable: ModuleOp, sources: SourceMap) -> Iterator[Place]:
    """Where each line of the listing stands, in its order."""
    for kind, function in device_functions(executable, sources).items():
        for op in function.walk():
            if isinstance(op, (PipeOp, *SYNC)):
                yield Place(agent=_AGENTS[kind], op=op)
            if isinstance(op, MmadL1Op):
                yield from _product_flags(op, _AGENTS[kind])


def short_name(op: Operation) -> str:
    """The name without its dialect."""
    return op.name.rpartition(".")[2]


def _product_flags(op: MmadL1Op, agent: str) -> Iterator[Place]:
    for index, value in enumerate(op.sync_related_args[: len(_PRODUCT_FLAGS)]):
        if constant_of(value) != -1:
            yield Place(agent=agent, op=op, flag=index)


def _text(place: Place) -> str:
    op = place.op
    if place.flag >= 0:
        assert isinstance(op, MmadL1Op)
        what, setter, waiter = _PRODUCT_FLAGS[place.flag]
        event = _number(op.sync_related_args[place.flag])
        return f"{short_name(op)} {what}: {setter} to {waiter}, flag {event}"
    pipes = " to ".join(_pipes(place))
    match op:
        case FlagOp():
            return f"{short_name(op)} {pipes}, flag {_number(op.event)}"
        case BlockFlagOp():
            return f"{short_name(op)} {pipes}, flag {_number(op.flag)}"
        case _:
            return f"{short_name(op)} on {pipes}"


def _pipes(place: Place) -> tuple[str, ...]:
    op = place.op
    if place.flag >= 0:
        return _PRODUCT_FLAGS[place.flag][1:]
    match op:
        case FlagOp():
            names = (op.set_pipe.data, op.wait_pipe.data)
        case BlockFlagOp():
            names = (op.tpipe.data, op.pipe.data)
        case PipeBarrierOp():
            names = (op.pipe.data,)
        case PipeOp():
            names = (op.pipe,)
        case _:
            raise AssertionError(f"{op.name} is no instruction")
    return tuple(name.removeprefix("PIPE_") for name in names)


def _number(event: int | SSAValue) -> int | str:
    """A flag id; of one that changes from turn to turn of a loop the name of its value, if any."""
    if isinstance(event, int):
        return event
    known = constant_of(event)
    if known is not None:
        return known
    return f"%{event.name_hint}" if event.name_hint else "by turn"
