"""Writes the body of one MLIR function, op by op, each at the place of its statement."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    UnknownLoc,
)
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.dialects.locations import span_of

Op = TypeVar("Op", bound=Operation)
# An offset or size: known now, or an index value at run time.
Index = int | SSAValue


class Writer:
    """The function under construction.

    Args:
        block: where ops go next.
        core: `AIC`, `AIV` or `MIX`.
        sources: texts for the carets of errors.
    """

    def __init__(self, block: Block, core: str, sources: SourceMap) -> None:
        self.block = block
        self.core = core
        self.sources = sources
        self.place: LocationAttr = UnknownLoc()
        # Scalars of Tile IR and what they are here.
        self.values: dict[SSAValue, SSAValue] = {}
        # Buffers of Tile IR: the memref (parameters, Expert) or the newest tensor (Developer).
        self.buffers: dict[SSAValue, SSAValue] = {}
        # Extents of the tensor parameters.
        self.shapes: dict[SSAValue, tuple[Index, ...]] = {}
        # Index values that this statement has made already.
        self._indices: dict[SSAValue, SSAValue] = {}

    def stand_at(self, statement: Operation) -> None:
        """All that follows is made from `statement` and bears its location."""
        self.place = statement.location
        self._indices.clear()

    def add(self, op: Op) -> Op:
        """Appends an op."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.place
        self.block.add_op(op)
        return op

    def keep(self, buffer: SSAValue, value: SSAValue) -> None:
        """From here on `value` is what the buffer holds; it bears the learner's name for it."""
        if value.name_hint is None:
            value.name_hint = buffer.name_hint
        self.buffers[buffer] = value

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Ops go to `block` for a while; afterwards the old block and place are back."""
        block_before, place_before = self.block, self.place
        self.block = block
        yield
        self.block, self.place = block_before, place_before
        self._indices.clear()

    def constant(self, value: int, kind: IntegerType | IndexType) -> SSAValue:
        """An integer constant of a type."""
        return self.add(arith.ConstantOp(IntegerAttr(value, kind))).result

    def index(self, value: SSAValue) -> Index:
        """An i32 of Tile IR as an index: a number where it is a constant."""
        number = constant_of(value)
        return self.as_index(self.values[value]) if number is None else number

    def as_index(self, value: SSAValue) -> SSAValue:
        """An i32 as an index value, one per statement."""
        if value not in self._indices:
            self._indices[value] = self.add(arith.IndexCastOp(value, IndexType())).result
        return self._indices[value]

    def index_value(self, index: Index) -> SSAValue:
        """An index as a value."""
        return self.constant(index, IndexType()) if isinstance(index, int) else index

    def index_values(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Several i32 of Tile IR as index values."""
        return [self.index_value(self.index(value)) for value in values]

    def error(self, code: str, what: str, statement: Operation, *, why: str, fix: str) -> TLError:
        """A coded error with a caret under a statement."""
        span = span_of(statement, self.sources)
        labels = (Label(span=span),) if span else ()
        return error(code, what, why=why, fix=fix, labels=labels, sources=self.sources)


def constant_of(value: SSAValue) -> int | None:
    """The number of an integer constant."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None
