"""Files that are made from the lessons as a whole: catalogue, days, START_HERE, lecture pages."""

from __future__ import annotations

from pathlib import Path

from tlcourse.build import catalogue, days, lecture, notebooks
from tlcourse.build.instructor import instructor_pages
from tlcourse.build.source import LANGUAGES, read_source
from tlcourse.build.teaching import read_days

START = Path("course/START_HERE.py")
_FOLDERS = {"lecture": "*.html", "days": "*.ipynb"}


def made_pages(root: Path) -> dict[Path, str]:
    """What a checkout holds beside its notebooks: path to text.

    Lecture pages show stored outputs, so the notebooks are made first.

    Raises:
        TL801, TL802: START_HERE is broken. TL805: a teaching.toml is.
    """
    pages: dict[Path, str] = {}
    if (root / START).is_file():
        source = read_source(root / START)
        for language in LANGUAGES:
            suffix = "" if language == "en" else f".{language}"
            notebook = notebooks.bare_notebook(source, language)
            pages[root / f"START_HERE{suffix}.ipynb"] = notebooks.to_text(notebook)
    if not (root / "course" / "tracks.toml").is_file():
        return pages
    found = catalogue.make_catalogue(root)
    taught = read_days(root)
    pages[root / catalogue.FILE] = catalogue.to_text(found)
    pages |= days.day_pages(root, taught, found)
    pages |= instructor_pages(root, taught, found)
    return pages | lecture.lecture_pages(root, taught)


def stale_pages(root: Path, pages: dict[Path, str]) -> dict[Path, str]:
    """Which of these files are missing or differ, and which nothing makes: path to reason."""
    reasons = dict.fromkeys(_superfluous(root, pages), "nothing in course/ makes it")
    for path, text in pages.items():
        if not path.is_file():
            reasons[path] = "missing"
        elif path.read_text(encoding="utf-8") != text:
            reasons[path] = "not made from course/ and the notebooks"
    return {path: f"{reason}; run tlcourse build" for path, reason in reasons.items()}


def write_pages(root: Path) -> list[Path]:
    """Makes what is stale, removes what is superfluous; the paths that changed."""
    pages = made_pages(root)
    stale = list(stale_pages(root, pages))
    for path in stale:
        if path not in pages:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[path], encoding="utf-8")
    return stale


def _superfluous(root: Path, pages: dict[Path, str]) -> list[Path]:
    found = [path for name, kind in _FOLDERS.items() for path in sorted((root / name).glob(kind))]
    return [path for path in found if path not in pages]
