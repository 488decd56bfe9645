"""Course sources: py:percent files with both languages in adjacent cells.

A file starts with a YAML header (`jupyter: tlcourse: id: ..`). Each cell has a `stem`, which becomes
the cell's id in every notebook; prose cells carry `lang:en` or `lang:zh`, and a Chinese cell
the hash of its English twin (`en_sha`), so that a change on one side is noticed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from tlcourse.diagnostics import TLError, error

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a source."""

    kind: Literal["markdown", "code"]
    stem: str
    text: str
    tags: tuple[str, ...]
    nbgrader: dict[str, Any] | None
    en_sha: str

    @property
    def language(self) -> Language | None:
        """The language of a prose cell; None where the cell serves both."""
        return next((word for word in LANGUAGES if f"lang:{word}" in self.tags), None)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A lesson or an exercise: its header and its cells."""

    path: Path
    header: dict[str, Any]
    cells: tuple[Cell, ...]
    sha256: str

    @property
    def id(self) -> str:
        """The lesson's or exercise's id, for example `d2.fusion`."""
        return str(self.header["id"])

    def cells_in(self, language: Language) -> list[Cell]:
        """The cells of one language's notebook, in order."""
        return [cell for cell in self.cells if cell.language in (None, language)]


def read_source(path: Path) -> Source:
    """Reads and checks a course source.

    Raises:
        TL801: it is no source: the header, a cell's stem, or a translation is missing.
        TL802: the English twin of a Chinese cell has changed.
    """
    import jupytext

    text = path.read_text(encoding="utf-8")
    notebook = cast(Any, jupytext.reads(text, fmt="py:percent"))
    header = notebook.metadata.get("tlcourse")
    if not isinstance(header, dict) or "id" not in header:
        raise _broken(path, "its header has no `jupyter: tlcourse: id:`")
    cells = tuple(_cell(path, index, cell) for index, cell in enumerate(notebook.cells))
    source = Source(
        path=path,
        header=dict(cast(dict[str, Any], header)),
        cells=cells,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    _check_twins(source)
    return source


def twin_hash(text: str) -> str:
    """The hash that a Chinese cell keeps of its English twin."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _cell(path: Path, index: int, cell: Any) -> Cell:
    metadata = cast(dict[str, Any], cell.metadata)
    stem = metadata.get("stem")
    if not isinstance(stem, str) or not stem:
        raise _broken(path, f"cell {index + 1} has no stem")
    return Cell(
        kind=cell.cell_type,
        stem=stem,
        text=cell.source,
        tags=tuple(metadata.get("tags", ())),
        nbgrader=metadata.get("nbgrader"),
        en_sha=str(metadata.get("en_sha", "")),
    )


def _check_twins(source: Source) -> None:
    english = {cell.stem: cell for cell in source.cells if cell.language == "en"}
    chinese = {cell.stem: cell for cell in source.cells if cell.language == "zh"}
    lonely = sorted(english.keys() ^ chinese.keys())
    if lonely:
        raise _broken(source.path, f"these cells have no twin: {', '.join(lonely)}")
    stems = [cell.stem for cell in source.cells if cell.language != "zh"]
    double = sorted({stem for stem in stems if stems.count(stem) > 1})
    if double:
        raise _broken(source.path, f"these stems come twice: {', '.join(double)}")
    for stem, cell in chinese.items():
        now = twin_hash(english[stem].text)
        if cell.en_sha != now:
            raise error(
                "TL802",
                f"{source.path.name}: the English text of `{stem}` is newer than the Chinese one",
                why="a Chinese cell keeps the hash of the text that it translates",
                fix=f'read both, mend the Chinese text, and write en_sha="{now}"',
            )


def _broken(path: Path, reason: str) -> TLError:
    return error(
        "TL801",
        f"{path.name} is not a course source: {reason}",
        why="notebooks are made from the header and from cells that have a stem",
        fix="write it as the other files in course/ are written",
    )
