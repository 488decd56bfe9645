"""Runs the jobs of one lit file on our passes, module by module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tlcourse.conformance.filecheck_run import check_text, compares
from tlcourse.conformance.reasons import reason_of
from tlcourse.conformance.run_lines import Job, jobs
from tlcourse.diagnostics import TLError
from tlcourse.pipeline.expected import verify_diagnostics
from tlcourse.pipeline.opt import Form, run_opt, split_pieces
from tlcourse.pipeline.registry import read_passes

_READING = ("TL322", "TL323")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How one module fared under one RUN line.

    Args:
        run: the RUN line, from 1.
        module: the module, from 1.
        cannot: whether the RUN line asks for what is not embedded.
        reason: why it did not pass; empty if it did.
    """

    run: int
    module: int
    cannot: bool = False
    reason: str = ""


def judge(text: str) -> Iterator[Verdict]:
    """The verdicts of a file.

    Args:
        text: the file.

    Raises:
        TL716: the package filecheck is not installed.
    """
    for run, job in enumerate(jobs(text), 1):
        for module, piece in enumerate(pieces(text, job), 1):
            cannot = why_not(piece, job)
            yield Verdict(
                run=run, module=module, cannot=bool(cannot), reason=cannot or _fault(piece, job)
            )


def why_not(piece: str, job: Job) -> str:
    """Why a module is not judged under a RUN line; empty if it is.

    A module that just has to come through, or of which only the function's name is compared,
    says nothing about a pass.
    """
    if job.cannot:
        return job.cannot
    if job.verify and "expected-error" in piece:
        return ""
    judged = bool(job.prefixes) and compares(piece, job.prefixes)
    return "" if judged else "nothing is compared but names of functions"


def pieces(text: str, job: Job) -> tuple[str, ...]:
    """The modules that a job works on; what holds comments only is none."""
    parts = split_pieces(text) if job.split else (text,)
    return tuple(part for part in parts if _holds_text(part))


def _holds_text(part: str) -> bool:
    lines = (line.strip() for line in part.splitlines())
    return any(line and not line.startswith("//") for line in lines)


def _fault(piece: str, job: Job) -> str:
    """Why a module does not do what the comments beside it say; empty if it does."""
    try:
        passes = read_passes(job.pipeline)
        if job.verify and "expected-error" in piece:
            verify_diagnostics(piece, passes)
            return ""
        result = run_opt(piece, passes, form=Form(generic=job.generic, own_names=False))
    except TLError as problem:
        return _of_error(problem)
    said = check_text(piece, result, job.prefixes)
    return f"CHECK mismatch: {said.splitlines()[0].partition('error: ')[2]}" if said else ""


def _of_error(problem: TLError) -> str:
    if problem.code in _READING:
        return f"cannot be read: {problem.diagnostic.why.splitlines()[0]}"
    if problem.code == "TL310":
        return f"pass broke down: {problem.diagnostic.why.splitlines()[0]}"
    if problem.code == "TL321":
        return f"pass lacks an option: {problem.diagnostic.what}"
    if problem.code == "TL324":
        return f"other error: {problem.diagnostic.what}"
    return reason_of(problem)
