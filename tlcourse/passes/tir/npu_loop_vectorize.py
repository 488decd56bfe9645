"""NpuLoopVectorize: element loops become vector operations on tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects import tl
from tlcourse.dialects.locations import point
from tlcourse.dialects.notes import leave_notes
from tlcourse.dialects.signature import mode_of
from tlcourse.passes.tir.element_loops import Nest, nest_of, only_store, places_of, why_no_store
from tlcourse.passes.tir.element_tiles import Emitter, Numbers
from tlcourse.passes.tir.element_values import (
    is_cast,
    is_name,
    name_of,
    why_no_region,
    why_no_tile,
    why_unsafe,
)
from tlcourse.passes.tir.tile_calls import absorb, calls_in, split


@dataclass(frozen=True)
class NpuLoopVectorizePass(ModulePass):
    """Turns T.Parallel loops over one store, or over calls on tiles, into operations on tiles.

    ```mlir
    tl.for "parallel" %c0 to %c64 { ^bb0(%i: i32):
      %x = tl.load %a[%i]   %y = tl.load %b[%i]   %z = arith.addf %x, %y
      tl.store %z, %c[%i] }
    -->
    tl.vadd ins(%a, %b) outs(%c)
    ```

    A loop over elements needs constant bounds, one store whose indices are loop variables,
    names or constants, and a value of loads, scalars, + - * / // min max, comparisons, exp log
    sqrt rsqrt sigmoid abs, casts and choices. A scalar that is loaded or computed fills a tile.
    A load that misses a loop is copied (`local_src`), gets extents of 1 for what it misses
    (`reshape_view`) and is repeated (`brc`). A call on tiles takes a loop in that walks one
    dimension with whole extents behind it; calls that cannot do so get loops of their own.

    A loop that has no vector form, or whose iterations depend on each other, stays a scalar
    loop of kind "serial". The pass leaves a note for each loop: what it became, or why not.

    Differs from upstream: a loop becomes a tile only where that changes no number, casts of
    floats to integers aside: iterations that depend on each other, integers that get shorter and
    dtypes that the vector op lacks keep it scalar, and a body of several statements stays one
    loop. Temporaries have the extents of the loop, not of the buffer that is read, and lie on
    the chip. A number in front of - or / fills a tile. Rows that only a part of the loops fits
    into read a repeated element as a scalar. T.Select means T.if_then_else.
    """

    name = "NpuLoopVectorize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if "tl.mode" not in op.attributes:  # no Tile IR, or none that was stamped with a mode
            return
        work = _Work(scope="shared" if mode_of(op) == "Expert" else "shared.dyn")
        for nest in _nests(op):
            if not calls_in(nest.loops[-1]):
                work.elements(nest)
        for nest in reversed(_nests(op)):
            work.calls(nest)
        leave_notes(op, work.report())


def _nests(module: ModuleOp) -> list[Nest]:
    """The perfect nests of parallel loops, in the order of the text."""
    nests: list[Nest] = []
    inner: set[tl.ForOp] = set()
    for op in module.walk():
        if isinstance(op, tl.ForOp) and op.kind.data == "parallel" and op not in inner:
            nests.append(nest_of(op))
            inner.update(nests[-1].loops)
    return nests


@dataclass(kw_only=True)
class _Work:
    """The loops of one kernel: `scope` is where temporaries beside global memory stand."""

    scope: str
    numbers: Numbers = field(default_factory=Numbers)
    notes: list[tuple[int, str]] = field(default_factory=lambda: list[tuple[int, str]]())

    def report(self) -> list[str]:
        """The notes in the order of the learner's lines."""
        return [text for _, text in sorted(self.notes)]

    def elements(self, nest: Nest) -> None:
        """Turns a nest over one store, or the inner loops of it, or makes all serial."""
        outer_reason = reason = ""
        for depth in range(len(nest.loops)):
            inner = nest.below(depth)
            reason = _why_scalar(inner)
            outer_reason = outer_reason or reason
            store = only_store(inner)
            if reason or store is None:
                continue
            what, line = _names(inner), _line(inner.loops[0])
            outer = Nest(loops=nest.loops[:depth])
            _make_serial(outer)
            made = Emitter(nest=inner, store=store, scope=self.scope, numbers=self.numbers).run()
            kept = f"; {_names(outer)} kept scalar: {outer_reason}" if depth else ""
            self._say(line, f"{what} became {', '.join(made)}{kept}")
            return
        alone = f"; {_names(nest.below(-1))} alone: {reason}" if reason != outer_reason else ""
        self._say(_line(nest.loops[0]), f"{_names(nest)} kept scalar: {outer_reason}{alone}")
        _make_serial(nest)

    def calls(self, nest: Nest) -> None:
        """Takes calls on tiles out of a nest, from its innermost loop outwards."""
        loops = list(nest.loops)
        parts = split(loops[-1])
        if len(parts) > 1:
            self._parts(Nest(loops=tuple(loops[:-1])), parts)
            return
        line, reason, absorbed = _line(loops[0]), "", list[str]()
        while loops and not reason:
            name = _names(Nest(loops=(loops[-1],)))
            reason = absorb(loops[-1])
            if not reason:
                absorbed.insert(0, name)
                loops.pop()
        kept = f"{_names(Nest(loops=tuple(loops)))} kept scalar: {reason}" if loops else ""
        done = f"{', '.join(absorbed)} taken into the calls in its body" if absorbed else ""
        self._say(line, "; ".join(part for part in (done, kept) if part))
        _make_serial(Nest(loops=tuple(loops)))

    def _parts(self, outer: Nest, parts: Sequence[tl.ForOp]) -> None:
        """Takes calls out of the loops that they have for themselves."""
        for loop in parts:
            name, line = _names(Nest(loops=(loop,))), _line(loop)
            reason = absorb(loop)
            if not reason:
                self._say(line, f"{name} taken into a call in its body")
                continue
            loop.variable.name_hint = f"{name}_split"
            _make_serial(Nest(loops=(loop,)))
            self._say(line, f"{name}_split kept scalar: {reason}")
        if outer.loops:
            reason = "a loop inside its body"
            self._say(_line(outer.loops[0]), f"{_names(outer)} kept scalar: {reason}")
        _make_serial(outer)

    def _say(self, line: int, text: str) -> None:
        self.notes.append((line, f"line {line}: {text}" if line else text))


def _why_scalar(nest: Nest) -> str:
    """Why a nest over elements is no tile; empty if it is one."""
    reason = why_no_store(nest)
    store = only_store(nest)
    if reason or store is None:
        return reason
    if not nest.is_constant():
        return "extent not constant"
    places = places_of(nest, store.indices)
    if places is None or not all(is_name(index) for index in store.indices):
        return "store index is no loop variable"
    if nest.is_invariant(store.value) and not _is_scalar(store.value):
        return "the stored value is computed from scalars alone"
    if {place.depth for place in places} - {None} != set(range(len(nest.loops))):
        return f"{name_of(store.buffer)} is stored at the same place again and again"
    return (
        why_no_region(nest, store.buffer, store.indices)
        or why_unsafe(nest, store)
        or _why_no_cast(nest, store)
        or why_no_tile(nest, store.value)
    )


def _is_scalar(value: SSAValue) -> bool:
    return is_name(value) or isinstance(value.owner, tl.LoadOp)


def _why_no_cast(nest: Nest, store: tl.StoreOp) -> str:
    """A cast from more dimensions than are stored has no vector form; empty if there is none."""
    for op in nest.body.ops:
        load = op.operands[0].owner if is_cast(op) else None
        if not isinstance(load, tl.LoadOp) or nest.is_invariant(load.result):
            continue
        if len(load.indices) > len(store.indices):
            return f"{name_of(load.buffer)} is converted from more dimensions than are stored"
    return ""


def _make_serial(nest: Nest) -> None:
    for loop in nest.loops:
        loop.kind = StringAttr("serial")


def _names(nest: Nest) -> str:
    return ", ".join(loop.variable.name_hint or "loop" for loop in nest.loops)


def _line(op: Operation) -> int:
    place = point(op.location)
    return 0 if place is None else place.line.data
