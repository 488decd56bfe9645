"""Each case of the field log that this part of the course answers is named by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
# Groups of the log: capacity, synchronisation and grading have their tests by their own words.
GROUPS = {
    "A": range(1, 13),
    "B": range(13, 21),
    "C": range(21, 30),
    "G": range(56, 64),
    "H": range(64, 75),
    "I": range(75, 82),
    "L": range(107, 111),
}
_NAME = re.compile(r"\bF-(\d{2,3})\b|\b(?:test|case)_f(\d{2,3})(?=_)|_f(\d{2,3})_", re.IGNORECASE)


def named() -> set[int]:
    """The numbers that tests bear in their names or words."""
    texts = (path.read_text() for path in TESTS.rglob("test_*.py") if path != Path(__file__))
    return {int(next(filter(None, found))) for text in texts for found in _NAME.findall(text)}


@pytest.mark.parametrize("group", list(GROUPS))
def test_each_case_is_named(group: str) -> None:
    missing = [f"F-{number:02}" for number in GROUPS[group] if number not in named()]
    assert not missing, f"no test names {', '.join(missing)}"
