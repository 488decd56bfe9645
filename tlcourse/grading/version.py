"""The version of grading: what a verdict depends on beside the hand-in, its spec and the seed.

It covers the language, the passes, both executors, the chips' constants and the rules of judging,
so that a class keeps its grades when the course is updated.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from tlcourse.grading.spec import SCHEMA

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (
    "chips",
    "codegen",
    "dialects",
    "examples",
    "grading/packages",
    "functional",
    "jit",
    "language",
    "ops",
    "passes",
    "pipeline",
    "simulator",
)
# What judging uses too, but only to find words: those may change without changing a grade.
WORDS = ("pattern", "sandbox", "strict", "suspects", "words", "package_words")
# What brings hand-ins to the judge and carries verdicts away. All else in this folder counts.
_AROUND = (
    "__init__",
    "child",
    "export_plugins",
    "forked",
    "hand_in",
    "kernel_calls",
    "limited",
    "nbgrader_step",
    "notebook",
    "notebook_file",
    "progress_file",
    "protection",
    "report",
    "resident",
    "selftest",
    "server",
    "version",
    "walls",
    "warm",
    "whole",
)


@cache
def grading_version() -> str:
    """Twelve letters that change whenever a grade could."""
    total = hashlib.sha256(f"schema {SCHEMA}".encode())
    found = [path for name in _FOLDERS for path in (_PACKAGE / name).rglob("*.*")]
    files = [path for path in found if path.suffix in (".py", ".toml")]
    files += _PACKAGE.glob("*.py")
    judging = (_PACKAGE / "grading").glob("*.py")
    files += [path for path in judging if path.stem not in (*WORDS, *_AROUND)]
    for path in sorted(files):
        total.update(path.relative_to(_PACKAGE).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:12]
