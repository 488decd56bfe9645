"""The builder: where new ops go, which place of the learner's text they bear, how errors point.

One builder serves one kernel while it is read. T functions find it through `active()`; with
none active they stand outside a kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    CallSiteLoc,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tlcourse.diagnostics import Diagnostic, Label, SourceMap, Span, TLError, error
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.dialects.locations import location

Op = TypeVar("Op", bound=Operation)
Constants = dict[tuple[str, str], SSAValue]

_ACTIVE: ContextVar[Builder | None] = ContextVar("tlcourse_builder", default=None)


@dataclass(frozen=True, kw_only=True)
class View:
    """Two buffers that mean one memory: the op that fills the second one, the first one's name."""

    op: Operation
    name: str
    buffers: tuple[SSAValue, SSAValue]


@dataclass(kw_only=True)
class Builder:
    """State of one kernel being read.

    Args:
        sources: the texts that spans point into.
        block: where the next op goes.
        span: the statement or expression that is being read.
        caller: place of the macro call around it, with the calls around that one.
        macro_depth: how many macro calls stand around it.
        arguments: spans of the arguments of the T call that is being made, by parameter.
        pipes: pipes named by the `T.rs` blocks around it, innermost last.
        symbols: i32 arguments that stand for symbols, by name.
        cores: cores named by the `T.Scope` blocks around it.
        in_kernel: whether the place is inside `with T.Kernel`.
        kernels: places of the `T.Kernel` blocks seen so far.
        warnings: what the learner should hear although the kernel is accepted.
        views: the T.view calls so far, one for each pair of names of one memory.
    """

    sources: SourceMap
    block: Block
    span: Span
    caller: LocationAttr | None = None
    macro_depth: int = 0
    arguments: Mapping[str, Span] = field(default_factory=lambda: dict[str, Span]())
    pipes: list[str] = field(default_factory=lambda: list[str]())
    symbols: dict[str, SSAValue] = field(default_factory=lambda: dict[str, SSAValue]())
    cores: list[str] = field(default_factory=lambda: list[str]())
    in_kernel: bool = False
    kernels: list[Span] = field(default_factory=lambda: list[Span]())
    warnings: list[Diagnostic] = field(default_factory=lambda: list[Diagnostic]())
    views: list[View] = field(default_factory=lambda: list[View]())
    constants: list[Constants] = field(default_factory=lambda: [Constants()])

    @property
    def location(self) -> LocationAttr:
        """The location that new ops bear."""
        place = location(self.span.source, self.span.line, self.span.column)
        return place if self.caller is None else CallSiteLoc(place, self.caller)

    def emit(self, op: Op) -> Op:
        """Adds an op at the end of the current block, with the current location."""
        op.location = self.location
        self.block.add_op(op)
        return op

    def constant(self, value: int | float, dtype: str) -> SSAValue:
        """A constant of a dtype; one op a value in each chain of blocks."""
        key = (dtype, repr(value))
        for known in self.constants:
            if key in known:
                return known[key]
        op = self.emit(_constant(value, dtype))
        self.constants[-1][key] = op.result
        return op.result

    def ops_after(self, mark: Operation | None) -> list[Operation]:
        """The ops of the current block behind `mark`, in order."""
        op = self.block.first_op if mark is None else mark.next_op
        found: list[Operation] = []
        while op is not None:
            found.append(op)
            op = op.next_op
        return found

    def drop_unused(self, ops: Sequence[Operation], keep: Collection[SSAValue] = ()) -> None:
        """Removes those of the ops, in the current block, that nobody uses and that do nothing.

        Args:
            ops: candidates, in order.
            keep: values that somebody will use.
        """
        for op in reversed(ops):
            if _is_unused(op) and not any(result in keep for result in op.results):
                self._forget(op)
                op.detach()
                op.erase()

    def _forget(self, op: Operation) -> None:
        held = self.constants[-1]
        for key in [key for key, value in held.items() if value.owner is op]:
            del held[key]

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Emits into `block`; what is emitted there stays there."""
        outer = self.block
        self.block = block
        self.constants.append(Constants())
        try:
            yield
        finally:
            self.constants.pop()
            self.block = outer

    @contextmanager
    def at(self, span: Span) -> Generator[None]:
        """Makes `span` the place of new ops and errors."""
        outer = self.span
        self.span = span
        try:
            yield
        finally:
            self.span = outer

    @contextmanager
    def calling(self, arguments: Mapping[str, Span]) -> Generator[None]:
        """Makes the spans of a call's arguments known to errors."""
        outer = self.arguments
        self.arguments = arguments
        try:
            yield
        finally:
            self.arguments = outer

    def fail(
        self, code: str, what: str, *, why: str, fix: str, at: Mapping[str, str] | None = None
    ) -> TLError:
        """An error at the current place, or at arguments of the call: parameter to label."""
        labels = self.labels(at or {})
        return error(code, what, why=why, fix=fix, labels=labels, sources=self.sources)

    def warn(self, code: str, what: str, *, why: str, fix: str) -> None:
        """Keeps a warning at the current place; once, however often the place is read."""
        labels = (Label(span=self.span),)
        warning = Diagnostic(
            code=code, severity="warning", what=what, why=why, fix=fix, labels=labels
        )
        if warning not in self.warnings:
            self.warnings.append(warning)

    def labels(self, at: Mapping[str, str]) -> tuple[Label, ...]:
        """Labels at arguments of the call; the current place if none of them is known."""
        found = tuple(
            Label(span=self.arguments[name], text=text)
            for name, text in at.items()
            if name in self.arguments
        )
        return found or (
            Label(span=self.span, text="; ".join(text for text in at.values() if text)),
        )


def active() -> Builder | None:
    """The builder of the kernel that is being read, if one is."""
    return _ACTIVE.get()


def builder() -> Builder:
    """The active builder, where our own code knows that there is one."""
    found = _ACTIVE.get()
    assert found is not None, "T functions check this before they build"
    return found


@contextmanager
def activate(new: Builder) -> Generator[None]:
    """Makes `new` the active builder."""
    token = _ACTIVE.set(new)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def _constant(value: int | float, dtype: str) -> arith.ConstantOp:
    kind = DTYPES[dtype].mlir
    if not isinstance(kind, IntegerType):
        return arith.ConstantOp(FloatAttr(float(value), cast("AnyFloat", kind)))
    width = cast("IntegerType", kind)
    op = arith.ConstantOp(IntegerAttr(int(value), width, truncate_bits=True))
    op.result.name_hint = f"c{int(value)}" if value >= 0 else f"cm{-int(value)}"
    return op


def _is_unused(op: Operation) -> bool:
    if any(result.first_use is not None for result in op.results):
        return False
    return is_pure(op)


def is_pure(op: Operation) -> bool:
    """Whether an op may go when nobody uses its results."""
    return bool(op.results) and is_side_effect_free(op)
