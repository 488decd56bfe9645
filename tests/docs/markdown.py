"""What tests read out of the repository's Markdown: files, links, headings and blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NOT_OURS = {"build", "dist", "tlcourse-lab", "gradebook"}
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def markdown_files() -> list[Path]:
    """Every Markdown file of the repository."""
    return sorted([*ROOT.glob("*.md"), *(path for top in _folders() for path in top.rglob("*.md"))])


def _folders() -> Iterator[Path]:
    for path in ROOT.iterdir():
        if path.is_dir() and path.name not in _NOT_OURS and not path.name.startswith("."):
            yield path


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return [body for kind, body in _BLOCK.findall(text) if kind == language]


def links(text: str) -> list[str]:
    """Targets of links and pictures, in order; those that stand in code are none."""
    return _LINK.findall(re.sub(r"`[^`\n]*`", "", _BLOCK.sub("", text)))


@cache
def anchors(path: Path) -> frozenset[str]:
    """The names that a code-hosting page gives to the headings of a file."""
    text = _BLOCK.sub("", path.read_text(encoding="utf-8"))
    named = [anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    again = [f"{one}-{named[:at].count(one)}" for at, one in enumerate(named) if one in named[:at]]
    return frozenset({*named, *again})


def anchor(heading: str) -> str:
    """The name of one heading: links as their text, no punctuation, blanks as dashes."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
