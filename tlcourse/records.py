"""What crosses from one layer to another: frozen records with a version and canonical JSON.

Widgets, the grader and the command line see these records and nothing behind them. The
JSON has sorted keys, no time of day and no wall time, so that equal work gives equal text.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from tlcourse.diagnostics import Diagnostic, SourceFile, Span

R = TypeVar("R")
Json = dict[str, Any] | list[Any] | str | int | float | bool | None
Mode = Literal["Developer", "Expert"]
Backend = Literal["embedded", "bishengir"]
TraceMode = Mode | Literal["MLIR"]
Phase = Literal["tir", "codegen", "npuir", "mlir"]
State = Literal["PASS", "PARTIAL", "FAIL", "TODO", "TIMEOUT", "ERROR"]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The IR after one pass.

    Args:
        index: place in the trace, from 0.
        phase: tir, codegen or npuir; mlir for a module that is no kernel.
        pass_name: upstream's name of the pass.
        options: the pass's options as text, name to value.
        origin: `embedded` (ours) or `real` (bishengir-opt).
        status: what the pass did to the text.
        text_id: key into `PassTrace.texts`.
        op_counts: op name to number of ops.
        notes: what the pass said.
    """

    index: int
    phase: Phase
    pass_name: str
    options: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    origin: Literal["embedded", "real"] = "embedded"
    status: Literal["changed", "unchanged", "failed", "skipped"]
    text_id: str
    op_counts: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PassTrace:
    """All snapshots of one compile. Snapshot 0 is the input; each text is stored once.

    `mode` is that of the kernel, or MLIR for a module that is none.
    """

    schema: ClassVar[str] = "tlcourse.PassTrace/1"
    kernel: str
    mode: TraceMode
    target: str
    texts: dict[str, str]
    snapshots: tuple[Snapshot, ...]
    sources: dict[str, SourceFile] = field(default_factory=lambda: dict[str, SourceFile]())


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One instruction on the simulated chip.

    Args:
        id: running number.
        block: logical block.
        agent: `aic`, `aiv0` or `aiv1`.
        pipe: lane of the core, for example `MTE2`.
        op: name shown on the timeline, for example `nd2nz`.
        start_cycle: first cycle on the pipe.
        end_cycle: cycle after the last.
        bytes: bytes moved through GM, 0 for others.
        span: the learner's line, where known.
        waits_on: ids of instructions this one waited for through a flag.
        operations: multiplications and additions of a product, elements of a vector op.
        dtype: of the operand that decides them.
    """

    id: int
    block: int
    agent: str
    pipe: str
    op: str
    start_cycle: int
    end_cycle: int
    bytes: int = 0
    span: Span | None = None
    waits_on: tuple[int, ...] = ()
    operations: int = 0
    dtype: str = ""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One row of a timeline: a pipe of a core, with its busy cycles."""

    name: str
    agent: str
    pipe: str
    core: int
    busy_cycles: int


@dataclass(frozen=True, kw_only=True)
class Bubble:
    """A gap on a lane and what the lane waited for."""

    lane: str
    start_cycle: int
    end_cycle: int
    cause: str


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Cycles of one launch. `replicated_blocks` counts blocks timed by a representative.

    Units: cycles of `clock_mhz`; `launch_cycles` stand before the first instruction.
    """

    schema: ClassVar[str] = "tlcourse.Timeline/1"
    kernel: str
    chip: str
    clock_mhz: int
    cycles: int
    launch_cycles: int
    lanes: tuple[Lane, ...]
    instructions: tuple[Instruction, ...]
    bubbles: tuple[Bubble, ...] = ()
    replicated_blocks: int = 0


@dataclass(frozen=True, kw_only=True)
class PlannedBuffer:
    """One buffer in a memory map; `first` and `last` are positions in program order."""

    name: str
    offset_bytes: int
    size_bytes: int
    copies: int = 1
    first: int = 0
    last: int = 0
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class MemoryMap:
    """Where the buffers of one on-chip memory lie."""

    schema: ClassVar[str] = "tlcourse.MemoryMap/1"
    space: str
    capacity_bytes: int
    buffers: tuple[PlannedBuffer, ...]


@dataclass(frozen=True, kw_only=True)
class Wait:
    """One edge of a wait-for graph: a pipe that stands still, and who would let it go on.

    Args:
        waiter: core and pipe that wait, for example `aic MTE1`.
        setter: core and pipe that would raise the flag, or `aic program` where the core has
            not come to the raise; empty where the kernel has no such core.
        flag: what is waited for, in words.
        reason: why it does not come.
        span: line of the wait.
        setter_span: line of the raise, where there is one.
        is_root: the others follow from this one.
    """

    waiter: str
    setter: str
    flag: str
    reason: str
    span: Span | None = None
    setter_span: Span | None = None
    is_root: bool = False


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A fault that the simulator saw: the first occurrence and how often it came back.

    A deadlock has its wait-for graph in `waits`.
    """

    schema: ClassVar[str] = "tlcourse.Finding/1"
    diagnostic: Diagnostic
    agent: str
    pipe: str = ""
    block: int
    iteration: tuple[int, ...] = ()
    count: int = 1
    other_span: Span | None = None
    waits: tuple[Wait, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Check:
    """One line of a verdict.

    Args:
        name: what was checked.
        state: how it went.
        points: points earned.
        max_points: points that could be earned.
        reason: what was seen, in the learner's words.
        hint: the likely cause, or what to do.
        detail: a number against its limit.
        why: where the limit comes from.
        span: the learner's line.
    """

    name: str
    state: State
    points: float
    max_points: float
    reason: str
    hint: str = ""
    detail: str = ""
    why: str = ""
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of grading one exercise."""

    schema: ClassVar[str] = "tlcourse.Verdict/1"
    exercise: str
    state: State
    points: float
    max_points: float
    checks: tuple[Check, ...]
    sealed_sha256: str = ""
    mode: str = ""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A kernel parameter as a launch sees it.

    Args:
        name: the learner's name.
        dtype: TileLang dtype, for example `float16`.
        kind: tensor, scalar (passed by the caller) or symbol (bound from shapes).
        extents: one extent text per dimension (see `tlcourse.extents`); empty for scalars.
        span: where it is declared.
    """

    name: str
    dtype: str
    kind: Literal["tensor", "scalar", "symbol"]
    extents: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Signature:
    """How a kernel is launched: parameters in order (symbols last), outputs and grid."""

    kernel: str
    mode: Mode
    target: str
    parameters: tuple[Parameter, ...]
    out_idx: tuple[int, ...] = ()
    grid: tuple[str, ...]
    grid_span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class AgentCode:
    """Generated Python of one agent: the source of one generator function `run`."""

    agent: Literal["cube", "vector"]
    source: str


@dataclass(frozen=True, kw_only=True)
class Program:
    """A compiled kernel as plain data: loadable with torch alone.

    Args:
        kind: which executor reads it.
        signature: how to launch it.
        agents: generated code, at most one cube and one vector agent.
        spans: places in the learner's text; generated code names them by position.
        workspace_bytes_per_block: compiler workspace in GM, an extent text.
        memory: planned on-chip buffers (simulator only).
        sources: the texts that the spans point into.
        options: everything else the executor needs, as JSON values.
    """

    schema: ClassVar[str] = "tlcourse.Program/1"
    kind: Literal["functional", "simulator"]
    signature: Signature
    agents: tuple[AgentCode, ...]
    spans: tuple[Span | None, ...]
    workspace_bytes_per_block: str = "0"
    memory: tuple[MemoryMap, ...] = ()
    sources: dict[str, SourceFile] = field(default_factory=lambda: dict[str, SourceFile]())
    options: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())


def to_json(record: object) -> str:
    """Canonical JSON of a record: sorted keys, no spaces, schema first-class."""
    return json.dumps(to_data(record), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def from_json(kind: type[R], text: str) -> R:
    """Reads a record back.

    Raises:
        ValueError: the text has another schema than `kind`.
    """
    return from_data(kind, json.loads(text))


def to_data(record: object) -> Json:
    """A record as dictionaries, lists and plain values."""
    if is_dataclass(record) and not isinstance(record, type):
        data = {f.name: to_data(getattr(record, f.name)) for f in fields(record)}
        schema = getattr(record, "schema", None)
        return {"schema": schema, **data} if schema else data
    if isinstance(record, dict):
        items = cast(dict[object, object], record).items()
        return {str(key): to_data(value) for key, value in items}
    if isinstance(record, (list, tuple)):
        return [to_data(value) for value in cast(list[object], record)]
    return cast(Json, record)


def from_data(kind: type[R], data: Json) -> R:
    """The record of `kind` that `to_data` made `data` from.

    Raises:
        ValueError: the data have another schema than `kind`.
    """
    schema = getattr(kind, "schema", None)
    found = data.get("schema") if isinstance(data, dict) else None
    if schema and found != schema:
        raise ValueError(f"expected {schema}, found {found}")
    reader = _reader(kind)
    return cast(R, data if reader is None else reader(data))


_Reader = Callable[[Any], object]


@cache
def _reader(kind: Any) -> _Reader | None:
    """What reads values of a type, made once; None where they stay as they are."""
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record_reader(cast("type[object]", kind))
    if origin in (Union, types.UnionType):
        inner = _reader(next(arg for arg in args if arg is not type(None)))
        return inner and (lambda data: None if data is None else inner(data))
    if origin is tuple:
        item = _reader(args[0])
        return tuple if item is None else lambda data: tuple([item(one) for one in data])
    if origin is dict:
        value = _reader(args[1])
        return value and (lambda data: {key: value(one) for key, one in data.items()})
    return None


def _record_reader(kind: type[object]) -> _Reader:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
    known = {f.name: readers[f.name] for f in fields(cast(Any, kind))}

    def read(data: Any) -> object:
        values = {
            name: data[name] if reader is None else reader(data[name])
            for name, reader in known.items()
            if name in data
        }
        return kind(**values)

    return read
