"""A small course: one lesson that runs in a moment, one exercise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.build.source import twin_hash

HEADER = "# ---\n# jupyter:\n#   tlcourse:\n#     id: {id}\n# ---\n"
SOLUTION = (
    'nbgrader={"grade": false, "grade_id": "d9-halve-solution", "locked": false, '
    '"schema_version": 3, "solution": true, "task": false}'
)
CHECK = (
    'nbgrader={"grade": true, "grade_id": "d9-halve", "locked": true, "points": 5, '
    '"schema_version": 3, "solution": false, "task": false}'
)
EXERCISE_CELLS = f"""
# %% tags=["setup"] stem="imports"
import math

# %% {SOLUTION} stem="solution"
def halve(x):
    # half of x
    ### BEGIN SOLUTION
    secret = x / 2
    return secret
    ### END SOLUTION

# %% {CHECK} stem="check"
assert halve(4) == 2
"""


def _prose(stem: str, english: str, chinese: str, tags: str = "") -> str:
    """A prose cell in both languages; the Chinese one knows the English one."""
    more = f', "{tags}"' if tags else ""
    return (
        f'\n# %% [markdown] tags=["lang:en"{more}] stem="{stem}"\n# {english}\n'
        f'\n# %% [markdown] tags=["lang:zh"{more}] stem="{stem}" '
        f'en_sha="{twin_hash(english)}"\n# {chinese}\n'
    )


def _code(stem: str, text: str, tags: str = "") -> str:
    """A code cell that serves both languages."""
    listed = f' tags=["{tags}"]' if tags else ""
    return f'\n# %%{listed} stem="{stem}"\n{text}\n'


@pytest.fixture
def prose() -> Callable[..., str]:
    """Makes a prose cell in both languages: (stem, English, Chinese, tag)."""
    return _prose


@pytest.fixture
def code() -> Callable[..., str]:
    """Makes a code cell: (stem, text, tag)."""
    return _code


@pytest.fixture
def write_source(tmp_path: Path) -> Callable[..., Path]:
    """Writes `course/day9/NAME` of cells under a header that fits the place; returns its path."""

    def write(name: str, *cells: str, id: str = "") -> Path:
        path = tmp_path / "course" / "day9" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        slug = path.stem if "/" in name else path.stem.partition("_")[2]
        path.write_text(HEADER.format(id=id or f"d9.{slug}") + "".join(cells), encoding="utf-8")
        return path

    return write


@pytest.fixture
def small_course(tmp_path: Path, write_source: Callable[..., Path]) -> Path:
    """The root of a checkout with one lesson that runs in a moment, and one exercise."""
    lesson = (_prose("goals", "Count to three.", "数到三。", "lecture"), _code("count", "1 + 2"))
    write_source("01_count.py", *lesson, _code("end", "assert True", "golden"))
    write_source("exercises/halve.py", _prose("prompt", "Halve it.", "取一半。"), EXERCISE_CELLS)
    return tmp_path
