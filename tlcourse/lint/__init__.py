"""The lint: where a kernel relies on something that upstream's TileLang does otherwise.

Each rule is a row of docs/differences.md as a question to one statement of the kernel. Rules
stand in tables: on operands, on tile operations, on the grid, loops and scalars.
"""

from __future__ import annotations

from tlcourse.lint.report import RULES, WARNED, Difference, LintReport, lint
from tlcourse.lint.rule import CODE, Rule

__all__ = ["CODE", "RULES", "WARNED", "Difference", "LintReport", "Rule", "lint"]
