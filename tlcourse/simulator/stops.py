"""Runs that could not come to their end, as findings."""

from __future__ import annotations

from dataclasses import replace

from tlcourse import work
from tlcourse.chips import Chip
from tlcourse.diagnostics import Diagnostic, Label, Span
from tlcourse.records import Finding, Program
from tlcourse.simulator import wording
from tlcourse.simulator.core import StepLimitError
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.scalars import DivisionError


def too_many_steps(program: Program, problem: StepLimitError, limit: int) -> Finding:
    """TL504: the loops, or the grid, turn more often than the limit allows."""
    what, why, fix = work.too_many_steps(program.signature.kernel, limit, problem.what)
    label = (problem.span, "the limit is reached here")
    found = _finding(program, None, "TL504", what, why=why, fix=fix, label=label)
    span = program.signature.grid_span
    return _with_label(found, span, "so many blocks") if problem.span < 0 and span else found


def division_by_zero(program: Program, machine: Machine, problem: ZeroDivisionError) -> Finding:
    """TL506: scalar code divides by zero."""
    at = machine.current
    here = problem.at if isinstance(problem, DivisionError) else -1
    behind = (at.site.span if at else -1, "the last instruction in front of the division")
    return _finding(
        program,
        at,
        "TL506",
        f"an integer is divided by zero{_behind(at)}",
        why="the divisor is 0 for the values of this launch",
        fix="test the divisor with `if` before the division",
        label=(here, "this divides by 0") if here >= 0 else behind,
    )


def refused(program: Program, machine: Machine, problem: str) -> Finding:
    """TL530: an instruction cannot be computed."""
    at = machine.current
    first = problem.strip().splitlines()[0] if problem.strip() else "no reason given"
    op = at.site.op if at else program.signature.kernel
    return _finding(
        program,
        at,
        "TL530",
        f"{op} could not be computed: {first}",
        why="the simulator, which computes tiles with torch, met tiles that do not fit each other",
        fix="give all operands of the statement the same extents; a kernel that should run "
        "deserves a report",
        label=(at.site.span if at else -1, "this instruction"),
    )


def not_resident(program: Program, blocks: int, slots: int, chip: Chip) -> Finding:
    """TL529: blocks wait for blocks that have not started."""
    span = program.signature.grid_span
    found = _finding(
        program,
        None,
        "TL529",
        f"{blocks} blocks meet at a barrier, but {chip.name} runs {slots} at a time",
        why="a block that waits at T.block_barrier keeps its core, so the others never start",
        fix=f"launch at most {slots} blocks and loop over the work inside each",
        label=(-1, ""),
    )
    return found if span is None else _with_label(found, span, "too many blocks for a barrier")


def _with_label(found: Finding, span: Span, text: str) -> Finding:
    labels = (Label(span=span, text=text),)
    return replace(found, diagnostic=replace(found.diagnostic, labels=labels))


def _behind(at: Instruction | None) -> str:
    return f" behind {at.site.op} {wording.where(at)}" if at else ""


def _finding(
    program: Program,
    at: Instruction | None,
    code: str,
    what: str,
    *,
    why: str,
    fix: str,
    label: tuple[int, str],
) -> Finding:
    index, text = label
    span = program.spans[index] if 0 <= index < len(program.spans) else None
    labels = (Label(span=span, text=text),) if span else ()
    return Finding(
        diagnostic=Diagnostic(code=code, what=what, labels=labels, why=why, fix=fix),
        agent=at.core.name if at else "",
        pipe=at.pipe.name if at else "",
        block=at.core.block if at else 0,
        iteration=at.turn if at else (),
    )
