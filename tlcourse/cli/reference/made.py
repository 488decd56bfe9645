"""All files of docs/api/: the pages of names, the page of commands, and a list of both."""

from __future__ import annotations

import re
from pathlib import Path

from typer.cli import get_docs_for_click
from typer.main import get_command
from typer.models import Context

from tlcourse.build.instructor import anchor, titles
from tlcourse.cli import app
from tlcourse.cli.reference.pages import Page, pages
from tlcourse.cli.reference.text import page_text

FOLDER = Path("docs/api")
_COMMANDS = "commands.md"


def made(root: Path) -> dict[Path, str]:
    """The files of docs/api/: path to text."""
    folder = root / FOLDER
    sections = {code: anchor(f"{code} {title}") for code, title in titles(root, "en").items()}
    found = list(pages())
    texts = {folder / page.file: page_text(page, sections) for page in found}
    texts[folder / _COMMANDS] = _commands()
    rows = [f"- [{page.title}]({page.file}): {_groups(page)}" for page in found]
    rows.append(f"- [The command line]({_COMMANDS}): `tlcourse` and its commands")
    words = "What can be called, with arguments and errors. Made by `make docs` from docstrings."
    texts[folder / "README.md"] = "\n\n".join(["# Reference", words, "\n".join(rows)]) + "\n"
    return texts


def stale(root: Path, texts: dict[Path, str]) -> list[Path]:
    """Files that are missing, that differ, or that nothing makes."""
    late = [path for path, text in texts.items() if _read(path) != text]
    return late + [path for path in sorted((root / FOLDER).glob("*")) if path not in texts]


def _groups(page: Page) -> str:
    return ", ".join(group.title[0].lower() + group.title[1:] for group in page.groups)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _commands() -> str:
    """What typer writes about the commands; quotes stay quotes."""
    command = get_command(app)
    text = get_docs_for_click(obj=command, ctx=Context(command), name="tlcourse")
    text = text.replace("&#x27;", "'").replace("&quot;", '"')
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text.replace("# `tlcourse`", "# The command line", 1) + "\n"
