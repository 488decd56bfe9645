"""What can go wrong while a function of MLIR runs, in the learner's words."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.dialects.locations import span_of


def no_meaning(op: Operation, sources: SourceMap, why: str = "") -> TLError:
    """TL362: the op is none of those that can be run."""
    return error(
        "TL362",
        f"{_name(op)} cannot be run",
        why=why
        or "functions of tosa, linalg, memref, scf, cf, arith, math and llvm are run op "
        "by op, and this op is not among those that are known",
        fix="write it in ops that the passes from tosa to llvm handle",
        labels=_labels(op, sources),
        sources=sources,
    )


def outside(op: Operation, sources: SourceMap, what: str) -> TLError:
    """TL363: memory is touched that is not there."""
    return error(
        "TL363",
        f"{op.name} touches memory outside of its buffer",
        why=what,
        fix="check the bounds of the loops around it, and the order of the indices",
        labels=_labels(op, sources),
        sources=sources,
    )


def wrong_arguments(name: str, why: str) -> TLError:
    """TL364: the function does not take these tensors."""
    return error(
        "TL364",
        f"{name} cannot be called like that",
        why=why,
        fix="give one contiguous CPU tensor per parameter of the module as written, "
        "with its shape and dtype",
    )


def too_long(op: Operation, sources: SourceMap, limit: int) -> TLError:
    """TL365: the function seems never to end."""
    return error(
        "TL365",
        f"The function has run {limit:,} ops and is not done",
        why="it is run op by op, for small shapes; a loop that does not count up never ends",
        fix="take smaller shapes, or look at the step and the bound of the loop",
        labels=_labels(op, sources),
        sources=sources,
    )


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _labels(op: Operation, sources: SourceMap) -> tuple[Label, ...]:
    span = span_of(op, sources)
    return () if span is None else (Label(span=span, text=op.name),)
