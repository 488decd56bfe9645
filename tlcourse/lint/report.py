"""Runs the rules over a kernel and gathers what they find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import Diagnostic, SourceFile, SourceMap
from tlcourse.dialects.signature import function_of, mode_of
from tlcourse.lint.frame_rules import FRAME_RULES
from tlcourse.lint.kernel_rules import KERNEL_RULES
from tlcourse.lint.loop_rules import LOOP_RULES
from tlcourse.lint.operand_rules import OPERAND_RULES
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import statements
from tlcourse.lint.tile_rules import TILE_RULES
from tlcourse.records import Mode

RULES: tuple[Rule, ...] = (*KERNEL_RULES, *LOOP_RULES, *FRAME_RULES, *OPERAND_RULES, *TILE_RULES)
# What is said of a difference while the kernel is read, by its code.
WARNED = ("TL114", "TL137", "TL206")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A place where a kernel relies on a difference: the rule's id or the warning's code."""

    rule: str
    diagnostic: Diagnostic


@dataclass(frozen=True, kw_only=True)
class LintReport:
    """The differences from upstream that a kernel relies on, in the order of its text."""

    schema: ClassVar[str] = "tlcourse.LintReport/1"
    kernel: str
    mode: Mode
    differences: tuple[Difference, ...]
    sources: dict[str, SourceFile] = field(default_factory=lambda: dict[str, SourceFile]())


def lint(
    module: ModuleOp,
    lowered: ModuleOp,
    sources: SourceMap,
    warnings: Sequence[Diagnostic] = (),
) -> LintReport:
    """Reports what a kernel relies on that upstream does otherwise.

    Args:
        module: its stamped Tile IR, before the TIR phase.
        lowered: the same behind the TIR phase.
        sources: the texts that its locations point into.
        warnings: what was said while it was read; those on differences join the report.
    """
    mode = mode_of(module)
    rules = [rule for rule in RULES if rule.mode in (None, mode)]
    warned = [Difference(rule=one.code, diagnostic=one) for one in warnings if one.code in WARNED]
    found = [
        *warned,
        *_found([rule for rule in rules if not rule.lowered], module, sources),
        *_found([rule for rule in rules if rule.lowered], lowered, sources),
    ]
    return LintReport(
        kernel=function_of(module).sym_name.data,
        mode=mode,
        differences=tuple(sorted(_single(found), key=_place)),
        sources=dict(sources),
    )


def _found(rules: Sequence[Rule], module: ModuleOp, sources: SourceMap) -> list[Difference]:
    return [
        Difference(rule=rule.id, diagnostic=rule.diagnostic(statement, sources))
        for statement in statements(module, sources)
        for rule in rules
        if rule.finds(statement)
    ]


def _single(found: Sequence[Difference]) -> list[Difference]:
    """One of those that say the same: a statement may be several ops, a macro called twice."""
    return [one for place, one in enumerate(found) if one not in found[:place]]


def _place(difference: Difference) -> tuple[str, int, int]:
    spans = [label.span for label in difference.diagnostic.labels]
    return (spans[0].source, spans[0].line, spans[0].column) if spans else ("", 0, 0)
