"""When a pass fails: the learner's error with its caret, the pass's name and the IR before it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tlcourse.diagnostics import Diagnostic, Label, SourceMap, TLError
from tlcourse.passes.npuir.memory_overflow import Overflow
from tlcourse.records import MemoryMap, PassTrace
from tlcourse.spans import span_at


@dataclass(eq=False)
class PassFailure(TLError):
    """An error inside a pass.

    Args:
        pass_name: the pass.
        ir: the module that the pass was given.
        trace: the snapshots up to the pass, when a trace was asked for.
        memory: the tiles that do not fit into a memory, when that is the error.
    """

    pass_name: str = ""
    ir: str = ""
    trace: PassTrace | None = None
    memory: MemoryMap | None = None


def failure(problem: Exception, pass_name: str, ir: str, sources: SourceMap) -> PassFailure:
    """Makes one error of whatever a pass raised.

    Args:
        problem: what was raised: an error meant for the learner, or a fault of the pass.
        pass_name: the pass.
        ir: the module that it was given.
        sources: texts for the caret; passes know points only.
    """
    if isinstance(problem, TLError):
        known = {**sources, **problem.sources}
        diagnostic = with_spans(problem.diagnostic, known)
    else:
        known, diagnostic = dict(sources), _broken(problem, pass_name)
    memory = problem.memory if isinstance(problem, Overflow) else None
    return PassFailure(diagnostic, known, pass_name=pass_name, ir=ir, memory=memory)


def with_spans(diagnostic: Diagnostic, sources: SourceMap) -> Diagnostic:
    """The diagnostic with its carets widened from points to whole expressions."""
    labels = tuple(_widened(label, sources) for label in diagnostic.labels)
    return replace(diagnostic, labels=labels)


def _widened(label: Label, sources: SourceMap) -> Label:
    source = sources.get(label.span.source)
    if source is None:
        return label
    return replace(label, span=span_at(source, label.span.line, label.span.column))


def _broken(problem: Exception, pass_name: str) -> Diagnostic:
    said = str(problem).strip().splitlines()
    reason = f"{type(problem).__name__}: {said[0]}" if said else type(problem).__name__
    return Diagnostic(
        code="TL310",
        what=f"The pass {pass_name} broke down on this kernel",
        why=f"the fault is in the pass, which met something that it does not expect ({reason})",
        fix='compile with backend="bishengir" meanwhile, and report the error with its `ir`, '
        "the module that the pass was given",
    )
