"""The matrix of docs/grading.md: wrong answers to each exercise, and what is said of them.

What was seen is kept in grader/matrix.json, a row for each exercise with a hash of all that the
row depends on; only rows whose hash has changed are made again. The page is made from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tlcourse.grading import strict
from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.guesses import KINDS
from tlcourse.grading.authoring.mutants import read_mutants
from tlcourse.grading.authoring.spec_check import ALL_SECONDS, PUBLIC_SECONDS, SECONDS, Line
from tlcourse.grading.spec import known_ids, load
from tlcourse.records import to_data

BEGIN, END = "<!-- matrix: made by `tlcourse spec matrix` -->", "<!-- end of the matrix -->"
_RULES = ("numbers.py", "inputs.py", "authoring/guesses.py")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What was seen of one exercise.

    Args:
        sha: hash of its spec, its mutants, its solution and the numeric rule.
        lines: what was checked: mutants, guesses and times.
    """

    sha: str
    lines: tuple[Line, ...]


def read_rows(root: Path) -> dict[str, Row]:
    """The rows that are kept; none where there is no file yet."""
    path = root / "grader" / "matrix.json"
    if not path.is_file():
        return {}
    return strict.read(dict[str, Row], json.loads(path.read_text(encoding="utf-8")), path.name)


def stale_rows(rows: Mapping[str, Row]) -> list[str]:
    """Exercises whose row is missing or was made from something else."""
    return [name for name in known_ids() if name not in rows or rows[name].sha != sha_of(name)]


def sha_of(exercise: str) -> str:
    """Twelve letters over all that an exercise's row depends on."""
    here = Path(__file__).parents[1]
    parts = [load(exercise).sha256, repr(read_mutants(exercise))]
    parts.append(mutants.solution_source(mutants.solution_of(exercise)))
    parts += [(here / name).read_text(encoding="utf-8") for name in _RULES]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def row_of(exercise: str, lines: list[Line]) -> Row:
    """The row that a check of an exercise gives."""
    return Row(
        sha=sha_of(exercise),
        lines=tuple(line for line in lines if line.mutant or line.guess or _is_time(line)),
    )


def untimed(rows: Mapping[str, Row]) -> list[str]:
    """Exercises that a program judges and whose row tells no time."""
    found = (name for name, row in rows.items() if not any(map(_is_time, row.lines)))
    return [name for name in found if load(name).kind != "written"]


def with_times(row: Row, lines: Iterable[Line]) -> Row:
    """The row with the times that were measured since."""
    return replace(row, lines=(*row.lines, *filter(_is_time, lines)))


def _is_time(line: Line) -> bool:
    return line.what.startswith(SECONDS)


def write(root: Path, rows: Mapping[str, Row]) -> None:
    """Writes the rows of the exercises that there are, and the page."""
    known = {name: rows[name] for name in known_ids() if name in rows}
    text = json.dumps({name: to_data(row) for name, row in known.items()}, indent=1)
    (root / "grader" / "matrix.json").write_text(text + "\n", encoding="utf-8")
    page = root / "docs" / "grading.md"
    page.write_text(with_matrix(page.read_text(encoding="utf-8"), known), encoding="utf-8")


def with_matrix(page: str, rows: Mapping[str, Row]) -> str:
    """The page with the matrix of these rows."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{chr(10).join(_tables(rows))}\n\n{END}{tail}"


def is_page_stale(root: Path, rows: Mapping[str, Row]) -> bool:
    """Whether the page does not say what the rows do."""
    page = (root / "docs" / "grading.md").read_text(encoding="utf-8")
    return with_matrix(page, rows) != page


def _tables(rows: Mapping[str, Row]) -> Iterator[str]:
    lines = [line for row in rows.values() for line in row.lines]
    named = [line for line in lines if line.mutant]
    guessed = [line for line in lines if line.guess]
    yield (
        f"{len(rows)} exercises. Mutants: {_share(named)} fail with the stated state and words. "
        f"Wrong answers of common kinds: {_share(guessed)} are rejected."
    )
    yield ""
    yield f"| exercise | {' | '.join(KINDS)} |"
    yield "|---" * (len(KINDS) + 1) + "|"
    for name, row in rows.items():
        cells = {line.guess: _cell(line) for line in row.lines if line.guess}
        if cells:
            yield f"| `{name}` | {' | '.join(cells.get(kind, '') for kind in KINDS)} |"
    yield ""
    yield from _times(rows)
    yield "| exercise | mutant | ends as | its report says | |"
    yield "|---|---|---|---|---|"
    for name, row in rows.items():
        for line in (line for line in row.lines if line.mutant):
            state, _, words = line.said.partition(", ")
            yield f"| `{name}` | {line.mutant} | {state} | {words} | {_mark(line)} |"


def _times(rows: Mapping[str, Row]) -> Iterator[str]:
    yield (
        f"Seconds of computing on one core that judging the solution takes; the limits are "
        f"{PUBLIC_SECONDS:g} s for the public cases and {ALL_SECONDS:g} s for all."
    )
    yield ""
    yield "| exercise | public cases | all cases |"
    yield "|---|---|---|"
    for name, row in rows.items():
        if times := [line for line in row.lines if _is_time(line)]:
            yield f"| `{name}` | {' | '.join(_short_time(line) for line in times)} |"
    yield ""


def _short_time(line: Line) -> str:
    return line.said.partition(" ")[0] + ("" if line.ok else " **no**")


def _cell(line: Line) -> str:
    rejected, _, tried = line.said.partition(" of ")
    return f"{rejected}/{tried.partition(' ')[0]}" + ("" if line.ok else " **no**")


def _mark(line: Line) -> str:
    return "ok" if line.ok else "**no**"


def _share(lines: list[Line]) -> str:
    ok = sum(line.ok for line in lines)
    return f"{ok} of {len(lines)} ({100 * ok / len(lines):.0f} %)" if lines else "none"
