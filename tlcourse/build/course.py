"""`tlcourse build`: makes all that learners and teachers open from course/, or checks it.

```
course/day2/04_fusion.py          -> notebooks/day2/04_fusion.ipynb, notebooks/zh/day2/..
course/day2/exercises/minicv.py   -> exercises/day2/minicv.ipynb, exercises/zh/day2/..,
                                     solutions/day2/minicv.ipynb
course/day2/teaching.toml         -> lecture/day2.html, days/day2.ipynb, docs/instructor.md
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.build.coverage import PAGE, TABLE, Coverage, coverage, page, read_points
from tlcourse.build.pages import made_pages, stale_pages, write_pages
from tlcourse.build.source import LANGUAGES, Language, Source, read_source
from tlcourse.diagnostics import error
from tlcourse.stored import put


@dataclass(frozen=True, kw_only=True)
class Target:
    """One notebook to make: from which source, in which language, and how."""

    path: Path
    source: Source
    language: Language
    kind: str


def build(
    check: bool,
    root: Path | None = None,
    told: Callable[[str], None] = print,
    again: bool = False,
) -> list[str]:
    """Makes all notebooks; with `check`, only says which are stale.

    A notebook is fresh when its cells, tags and ids are those that its source gives, and a
    lesson when each of its cells was run in order besides. What the cells put out is compared by
    `pytest --nbval notebooks/`, not here: it takes as long as running them.

    Args:
        check: change nothing; list what is missing, superfluous, or not made from its source.
        root: the checkout.
        told: called with the name of each notebook before it is made or removed.
        again: make the fresh ones too, as is needed after a change of the compiler.

    Returns:
        one line per stale notebook; empty when all is well.

    Raises:
        TL801, TL802, TL805: a source is broken. TL803: a lesson does not run. TL804: no course.
    """
    root = root or Path(__file__).parents[2]
    targets = list(_targets(root))
    superfluous = _superfluous(root, targets)
    covered = covered_by(root, targets)
    if check:
        reasons = {target.path: _reason(target) for target in targets}
        reasons |= _page_reasons(root, covered, targets)
        reasons |= stale_pages(root, made_pages(root))
        reasons |= dict.fromkeys(superfluous, "no source in course/ makes it; run tlcourse build")
        return [f"{_name(root, path)}: {reason}" for path, reason in reasons.items() if reason]
    wanted = [target for target in targets if again or _reason(target)]
    for number, target in enumerate(wanted, 1):
        told(f"[{number}/{len(wanted)}] {_name(root, target.path)}")
        _write(target)
    for path in superfluous:
        told(f"removed {_name(root, path)}: no source in course/ makes it")
        path.unlink()
    if covered:
        (root / PAGE).write_text(page(covered), encoding="utf-8")
    for path in write_pages(root):
        told(f"{'made' if path.is_file() else 'removed'} {_name(root, path)}")
    return []


def covered_by(root: Path, targets: Sequence[Target] | None = None) -> tuple[Coverage, ...]:
    """What the lessons of a checkout teach of its table of points; empty where it has no table.

    Raises:
        TL801: a tag names a point that the lesson is not to teach.
    """
    targets = list(_targets(root)) if targets is None else targets
    if not (root / TABLE).is_file():
        return ()
    return coverage(read_points(root), _lessons(targets))


def _lessons(targets: Sequence[Target]) -> list[Source]:
    return [one.source for one in targets if one.kind == "lesson" and one.language == "en"]


def _page_reasons(
    root: Path, covered: Sequence[Coverage], targets: Sequence[Target]
) -> dict[Path, str]:
    """Why the page of coverage is stale, or which core point its lessons leave out."""
    if not covered:
        return {}
    written = {source.id for source in _lessons(targets)}
    left_out = [c.point.id for c in covered if c.fails and written.issuperset(c.point.lessons)]
    if left_out:
        return {root / PAGE: f"core points that no code cell teaches: {', '.join(left_out)}"}
    path = root / PAGE
    if not path.is_file() or path.read_text(encoding="utf-8") != page(covered):
        return {path: "not made from the lessons; run tlcourse build"}
    return {}


def _targets(root: Path) -> Iterator[Target]:
    course = root / "course"
    if not course.is_dir():
        raise error(
            "TL804",
            "there is no course/ to build from",
            why="notebooks are made from the sources of a checkout",
            fix="run `tlcourse build` in a checkout of the course",
        )
    for path in sorted(course.glob("day*/*.py")):
        yield from _lesson(root, read_source(path))
    for path in sorted(course.glob("day*/exercises/*.py")):
        yield from _exercise(root, read_source(path))


def _lesson(root: Path, source: Source) -> Iterator[Target]:
    name = f"{source.path.parent.name}/{source.path.stem}.ipynb"
    for language in LANGUAGES:
        folder = root / "notebooks" / ("" if language == "en" else language)
        yield Target(path=folder / name, source=source, language=language, kind="lesson")


def _exercise(root: Path, source: Source) -> Iterator[Target]:
    name = f"{source.path.parents[1].name}/{source.path.stem}.ipynb"
    for language in LANGUAGES:
        folder = root / "exercises" / ("" if language == "en" else language)
        yield Target(path=folder / name, source=source, language=language, kind="exercise")
    yield Target(path=root / "solutions" / name, source=source, language="en", kind="solution")


def _write(target: Target) -> None:
    from tlcourse.build import notebooks

    notebook = notebooks.bare_notebook(target.source, target.language)
    if target.kind == "lesson":
        notebook = notebooks.executed(notebook, target.path.name)
    elif target.kind == "exercise":
        notebook = notebooks.stripped(notebook, target.source.path)
    put(target.path, notebooks.to_text(notebook).encode())


def _reason(target: Target) -> str:
    """Why a notebook on disk is stale; empty where it has the cells of its source, and was run."""
    from tlcourse.build import notebooks

    if not target.path.is_file():
        return "missing; run tlcourse build"
    found = notebooks.read_notebook(target.path)
    if found is None:
        return "not a notebook; run tlcourse build"
    expected = notebooks.bare_notebook(target.source, target.language)
    if target.kind == "exercise":
        expected = notebooks.stripped(expected, target.source.path)
    if notebooks.to_text(notebooks.without_outputs(found)) != notebooks.to_text(expected):
        return "not made from its source; run tlcourse build"
    if target.kind == "lesson" and not notebooks.was_executed(found):
        return "not run from top to bottom; run tlcourse build"
    return ""


def _superfluous(root: Path, targets: list[Target]) -> list[Path]:
    known = {target.path for target in targets}
    found = [
        path
        for folder in ("notebooks", "exercises", "solutions")
        for path in sorted((root / folder).rglob("*.ipynb"))
        if ".ipynb_checkpoints" not in path.parts
    ]
    return [path for path in found if path not in known]


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()
