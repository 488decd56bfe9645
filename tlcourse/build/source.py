"""Course sources: py:percent files with both languages in adjacent cells.

A file starts with a YAML header (`jupyter: tlcourse: id: ..`). Each cell has a `stem`, which
becomes the cell's id in every notebook. Prose cells, and code cells whose figures have words, carry
`lang:en` or `lang:zh`; a Chinese cell keeps the hash of its English twin (`en_sha`), so that a
change on one side is noticed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from tlcourse.diagnostics import TLError, error

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_STEM = re.compile(r"[a-z][a-z0-9_]{0,62}")


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
    def id(self) -> str:
        """The cell's id in every notebook."""
        return self.stem.replace("_", "-")

    @property
    def language(self) -> Language | None:
        """The language of the cell; None where it serves both."""
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
        TL801: it is no source: the header, a cell's stem, or a translation is missing, or its
            id does not say where it stands.
        TL802: the English twin of a Chinese cell has changed.
    """
    import jupytext

    text = path.read_text(encoding="utf-8")
    notebook = cast(Any, jupytext.reads(text, fmt="py:percent"))
    header = notebook.metadata.get("tlcourse")
    if not isinstance(header, dict) or "id" not in header:
        raise not_a_source(path, "its header has no `jupyter: tlcourse: id:`")
    if header["id"] != _id_of(path):
        raise not_a_source(path, f"its id is {header['id']}, its place says {_id_of(path)}")
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


def not_a_source(path: Path, reason: str) -> TLError:
    """The error for a file that no notebook can be made from."""
    return error(
        "TL801",
        f"{path.name} is not a course source: {reason}",
        why="notebooks are made from the header and from cells that have a stem",
        fix="write it as the other files in course/ are written",
    )


def _id_of(path: Path) -> str:
    """The id that a place gives: `course/day2/04_fusion.py` is `d2.fusion`."""
    if path.parent.name == "course":  # course/START_HERE.py belongs to no day
        return path.stem.lower()
    is_exercise = path.parent.name == "exercises"
    day = path.parents[1 if is_exercise else 0].name.removeprefix("day")
    slug = path.stem if is_exercise else path.stem.partition("_")[2]
    return f"d{day}.{slug}"


def _cell(path: Path, index: int, cell: Any) -> Cell:
    metadata = cast(dict[str, Any], cell.metadata)
    stem = metadata.get("stem")
    if not isinstance(stem, str) or not _STEM.fullmatch(stem):
        words = "small letters, digits and _"
        raise not_a_source(path, f"cell {index + 1} has no stem of {words}: {stem or 'none'}")
    return Cell(
        kind=cell.cell_type,
        stem=stem,
        text=cell.source,
        tags=tuple(metadata.get("tags", ())),
        nbgrader=metadata.get("nbgrader"),
        en_sha=str(metadata.get("en_sha", "")),
    )


def _check_twins(source: Source) -> None:
    english, chinese = source.cells_in("en"), source.cells_in("zh")
    stems = [cell.stem for cell in english]
    double = sorted({stem for stem in stems if stems.count(stem) > 1})
    if double:
        raise not_a_source(source.path, f"these stems come twice: {', '.join(double)}")
    lonely = {cell.stem for cell in english} ^ {cell.stem for cell in chinese}
    if lonely:
        raise not_a_source(source.path, f"these cells have no twin: {', '.join(sorted(lonely))}")
    for first, second in zip(english, chinese, strict=True):
        if _shape(first) != _shape(second):
            raise not_a_source(
                source.path, f"`{second.stem}` differs from its twin in kind or tags"
            )
        if second.language == "zh" and second.en_sha != twin_hash(first.text):
            raise _older(source.path, second.stem, twin_hash(first.text))


def _shape(cell: Cell) -> tuple[object, ...]:
    tags = [tag for tag in cell.tags if not tag.startswith("lang:")]
    return cell.stem, cell.kind, tags, cell.nbgrader


def _older(path: Path, stem: str, now: str) -> TLError:
    return error(
        "TL802",
        f"{path.name}: the English text of `{stem}` is newer than the Chinese one",
        why="a Chinese cell keeps the hash of the text that it translates",
        fix=f'read both, mend the Chinese text, and write en_sha="{now}"',
    )
