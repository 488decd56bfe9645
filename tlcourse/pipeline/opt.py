"""Passes on a file of MLIR, as `bishengir-opt` runs them: text in, text out.

Errors point into the file. What happens after each pass is told to a listener, which may print
the module, keep it, or measure.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ParseError

from tlcourse.diagnostics import Label, SourceFile, SourceMap, Span, TLError, error
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.locations import span_of
from tlcourse.dialects.notes import take_notes
from tlcourse.dialects.text import context, from_text
from tlcourse.dialects.upstream_form import upstream_text
from tlcourse.pipeline.failure import with_spans

SPLIT = "// -----"
_UNDEFINED = re.compile(r"used but not defined: \[(%[\w$.-]+)")
_COMMENT = re.compile(r"//[^\n]*")
_SPLIT_LINE = re.compile(r"^[ \t]*// -----[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Done:
    """A pass that ran.

    Args:
        index: its place in the run, from 0; counts on over the pieces of a split file.
        one: the pass.
        module: what it left.
        seconds: how long it took.
        notes: what it has to say.
    """

    index: int
    one: ModulePass
    module: ModuleOp
    seconds: float
    notes: tuple[str, ...] = ()


Listener = Callable[[Done], None]


@dataclass(frozen=True, kw_only=True)
class Form:
    """How modules are written.

    Args:
        generic: every op in generic form.
        locations: `loc(..)` after each op.
        own_names: values keep their names; else they get those that the compiler would give.
    """

    generic: bool = False
    locations: bool = False
    own_names: bool = True

    def text(self, module: ModuleOp) -> str:
        """The text of a module."""
        return upstream_text(
            module, generic=self.generic, locations=self.locations, own_names=self.own_names
        )


def run_opt(
    text: str,
    passes: Sequence[ModulePass],
    *,
    name: str = "<stdin>",
    form: Form | None = None,
    split: bool = False,
    listener: Listener | None = None,
) -> str:
    """Runs passes on a text.

    Args:
        text: one module; custom and generic form may be mixed.
        passes: in order.
        name: the file's name, for locations and errors.
        form: how the result is written.
        split: the text holds several modules with `// -----` between them, each for itself.
        listener: is told after each pass.

    Returns:
        the text of the module after the last pass.

    Raises:
        TL310: a pass broke down.
        TL322: the text is no MLIR that can be read.
        TL323: the text reads well, but an op in it is not what its rules demand.
        TLError: whatever a pass has to say.
    """
    pieces = split_pieces(text) if split else (text,)
    results: list[str] = []
    for number, piece in enumerate(pieces):
        run = _Run(name=name, text=piece, first=number * len(passes), listener=listener)
        results.append((form or Form()).text(run.passes(passes)))
    return f"\n{SPLIT}\n\n".join(results)


def split_pieces(text: str) -> tuple[str, ...]:
    """The modules of a split file, each on the lines that it has in the file."""
    pieces: list[str] = []
    start = 0
    for found in [*_SPLIT_LINE.finditer(text), None]:
        end = found.start() if found is not None else len(text)
        pieces.append("\n" * text.count("\n", 0, start) + text[start:end])
        start = found.end() if found is not None else end
    return tuple(pieces)


@dataclass(frozen=True, kw_only=True)
class _Run:
    """One module on its way through the passes."""

    name: str
    text: str
    first: int
    listener: Listener | None

    def passes(self, passes: Sequence[ModulePass]) -> ModuleOp:
        ctx = with_foreign_dialects(context())
        module = self._read(ctx)
        for index, one in enumerate(passes, self.first):
            began = time.perf_counter()
            self._apply(one, ctx, module)
            seconds = time.perf_counter() - began
            notes = take_notes(module)
            if self.listener is not None:
                done = Done(index=index, one=one, module=module, seconds=seconds, notes=notes)
                self.listener(done)
        return module

    def _read(self, ctx: Context) -> ModuleOp:
        if not _COMMENT.sub("", self.text).strip():
            return ModuleOp([])
        try:
            module = from_text(self.text, name=self.name, ctx=ctx)
        except ParseError as problem:
            raise self._unreadable(problem) from problem
        except Exception as problem:  # impossible parameters, or forms that xDSL gives up on
            raise self._unlawful(_first_line(problem), ()) from problem
        try:
            module.verify()
        except Exception as problem:  # rules of xDSL's own ops raise whatever they like
            raise self._unlawful(*self._culprit(module, problem)) from problem
        return module

    def _apply(self, one: ModulePass, ctx: Context, module: ModuleOp) -> None:
        try:
            one.apply(ctx, module)
        except TLError as problem:
            known = {**self._sources(), **problem.sources}
            raise TLError(with_spans(problem.diagnostic, known), known) from problem
        except Exception as problem:  # a pass is our code: any fault of it becomes TL310
            said = f"{type(problem).__name__}: {_first_line(problem)}"
            raise self._broken(
                one, f"it met something that it does not expect ({said})"
            ) from problem
        try:
            module.verify()
        except Exception as problem:
            said, labels = self._culprit(module, problem)
            why = f"the module that it left is against the rules: {said}"
            raise self._broken(one, why, labels) from problem

    def _culprit(self, module: ModuleOp, problem: Exception) -> tuple[str, tuple[Label, ...]]:
        """What is wrong, and the op that it is wrong with."""
        for op in module.walk():
            try:
                op.verify(verify_nested_ops=False)
            except Exception as found:  # noqa: BLE001
                return f"{op.name}: {_first_line(found)}", self._label(op)
        return _first_line(problem), ()

    def _label(self, op: Operation) -> tuple[Label, ...]:
        span = span_of(op, self._sources())
        return () if span is None else (Label(span=span),)

    def _sources(self) -> SourceMap:
        return {self.name: SourceFile(id=self.name, text=self.text, title=self.name)}

    def _unreadable(self, problem: ParseError) -> TLError:
        start, end = problem.span.start, problem.span.end
        undefined = _UNDEFINED.search(problem.msg)
        if undefined is not None:  # xDSL finds out at the end of the text
            start = self.text.find(undefined[1])
            end = start + len(undefined[1])
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        span = Span(
            source=self.name,
            line=line,
            column=column,
            end_line=line,
            end_column=column + max(1, end - start),
        )
        return error(
            "TL322",
            f"{self.name} cannot be read as MLIR",
            why=problem.msg.strip(),
            fix="mend the text at the caret; a known good form is what --generic prints",
            labels=(Label(span=span),),
            sources=self._sources(),
        )

    def _unlawful(self, why: str, labels: tuple[Label, ...]) -> TLError:
        return error(
            "TL323",
            f"{self.name} breaks a rule of its dialects",
            why=why,
            fix="change the operation under the caret so that the rule holds",
            labels=labels,
            sources=self._sources(),
        )

    def _broken(self, one: ModulePass, why: str, labels: tuple[Label, ...] = ()) -> TLError:
        return error(
            "TL310",
            f"The pass {one.name} broke down on {self.name}",
            why=f"the fault is in the pass: {why}",
            fix="report the error with this file; --print-ir-after-all shows the module before it",
            labels=labels,
            sources=self._sources(),
        )


def _first_line(problem: Exception) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    # xDSL puts the reason last, behind the text of the op.
    reasons = [line.strip("^- ") for line in lines if "^" in line]
    return reasons[-1] if reasons and reasons[-1] else (lines or [type(problem).__name__])[0]
