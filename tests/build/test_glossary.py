"""The glossary: its terms are those of the lessons that it names, in both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\[(d\d\.\w+)\]\(\.\./(notebooks/day\d/\w+\.ipynb)\)")


@dataclass(frozen=True, kw_only=True)
class Term:
    """One line of the table."""

    english: str
    chinese: str
    lesson: str
    notebook: Path

    def source(self) -> str:
        """The lesson's text in both languages."""
        day, name = self.notebook.parts[-2:]
        return (ROOT / "course" / day / name).with_suffix(".py").read_text(encoding="utf-8")


def terms() -> list[Term]:
    found: list[Term] = []
    for line in (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines():
        link = _LINK.search(line)
        if link is None:
            continue
        english, chinese = (cell.strip() for cell in line.split("|")[1:3])
        found.append(
            Term(english=english, chinese=chinese, lesson=link[1], notebook=ROOT / link[2])
        )
    return found


def test_terms_are_sorted_and_told_once() -> None:
    names = [term.english.lower() for term in terms()]
    assert len(names) >= 40
    assert names == sorted(set(names))


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.english)
def test_a_term_is_used_by_its_lesson(term: Term) -> None:
    assert term.notebook.is_file()
    text = term.source()
    assert f"id: {term.lesson}\n" in text
    assert term.english.lower() in text.lower()
    assert term.chinese.split()[0] in text
