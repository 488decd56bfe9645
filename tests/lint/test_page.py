"""docs/differences.md and the lint agree: every row says what tells of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tlcourse.lint import RULES, WARNED

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "differences.md"


@cache
def rows(heading: str) -> tuple[tuple[str, str], ...]:
    """First and last cell of each row of the table under a heading."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines]
    assert all(len(line) == 4 for line in cells)
    return tuple((line[0], line[3]) for line in cells)


def codes(cell: str) -> list[str]:
    return re.findall(r"\bTL\d{3}\b", cell)


def rules(cell: str) -> list[str]:
    return re.findall(r"`([a-z0-9-]+)`", cell)


@pytest.mark.parametrize(("name", "told"), rows("In a kernel"), ids=lambda text: text[:40])
def test_row_of_a_kernel_names_a_code_or_its_rules(name: str, told: str) -> None:
    assert rules(told) == [rule.id for rule in RULES if rule.row == name]
    assert codes(told) or rules(told)


def test_every_rule_and_warning_stands_in_the_table() -> None:
    told = ", ".join(cell for _, cell in rows("In a kernel"))
    assert {rule.id for rule in RULES} == set(rules(told))
    assert set(WARNED) <= set(codes(told))


def test_rows_around_a_kernel_have_no_rules() -> None:
    assert not [name for name, told in rows("Around a kernel") if rules(told)]


@pytest.mark.parametrize("heading", ["In a kernel", "Around a kernel"])
def test_codes_have_sections_and_rows_are_sorted(heading: str) -> None:
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    for _, told in rows(heading):
        assert all(f"\n## {code} " in page for code in codes(told))
    names = [re.search(r"`(?:T\.)?([^`]*)`", name) for name, _ in rows(heading)]
    order = [found[1].lower() for found in names if found]
    assert order == sorted(order)
