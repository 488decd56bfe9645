"""Measures what each cheat scores: here, through nbgrader with our step, and in stock nbgrader.

Stock nbgrader gets what a course without a grader of its own would give it: the same notebook
with `torch.testing.assert_close` in the graded cell. What was seen is kept in grader/cheats.json;
the table of docs/grading.md is made from it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlcourse.grading import strict
from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.cheats import EXERCISE, Cheat, cheats, write_cheat
from tlcourse.grading.classes import folder as class_folder
from tlcourse.records import to_data

BEGIN, END = "<!-- cheats: made by `tlcourse spec cheats` -->", "<!-- end of the cheats -->"
NOT_GRADED, NOT_TRIED = "not graded", "not tried"
SECONDS = 4
_DAY = "day1"
_STOCK_CHECK = """for N in (4096, 4100, 1, 511):
    torch.manual_seed(N)
    A, B = torch.randn(N), torch.randn(N)
    want = A + 3 * B
    torch.testing.assert_close(change_vadd(N)(A.npu(), B.npu()).cpu(), want)"""
_STOCK_CONFIG = """c = get_config()
c.ExecutePreprocessor.timeout = 60
"""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What one hand-in scores; a score is points, or words where there are none.

    Args:
        stated: points that grader/cheats.toml states.
        through: through nbgrader with our step.
        stock: in stock nbgrader.
    """

    stated: str
    through: str
    stock: str


def measure(told: Callable[[str], None], *, with_stock: bool = True) -> dict[str, Scored]:
    """Runs all hand-ins through both; takes minutes.

    Args:
        told: called with what happens.
        with_stock: whether stock nbgrader is run too.
    """
    listed = cheats()
    with tempfile.TemporaryDirectory(prefix="tlcourse-cheats-") as scratch:
        told(f"{len(listed)} hand-ins through nbgrader with our step")
        through = scores(our_course(Path(scratch) / "ours"), listed)
        tried = [cheat for cheat in listed if cheat.stock] if with_stock else []
        told(f"{len(tried)} hand-ins through stock nbgrader")
        stock = scores(_stock_course(Path(scratch) / "stock"), tried) if tried else {}
    return {
        cheat.name: Scored(
            stated=f"{cheat.points:g}",
            through=through[cheat.slug],
            stock=stock.get(cheat.slug, NOT_TRIED),
        )
        for cheat in listed
    }


def wrong(rows: Mapping[str, Scored]) -> list[str]:
    """Cheats that do not score through nbgrader what is stated."""
    wanted = {cheat.name: cheat.nbgrader or f"{cheat.points:g}" for cheat in cheats()}
    return [name for name in wanted if name not in rows or rows[name].through != wanted[name]]


def our_course(folder: Path) -> Path:
    """A class with the one exercise."""
    class_folder.init(folder)
    settings = class_folder.settings(folder)
    now = class_folder.Settings(grading_version=settings.grading_version, seconds=SECONDS)
    class_folder.save(folder, now)
    for path in (folder / "source").glob("*/*.ipynb"):
        if path.parent.name != _DAY or path.stem != EXERCISE.split(".")[1]:
            path.unlink()
    return folder


def _stock_course(folder: Path) -> Path:
    """Stock nbgrader: the teacher's notebook, tests in the graded cell."""
    notebook = mutants.solution_of(EXERCISE)
    for cell in notebook["cells"]:
        if _is_check(cell):
            cell["source"] = _STOCK_CHECK
    place = folder / "source" / _DAY / f"{EXERCISE.split('.')[1]}.ipynb"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(_STOCK_CONFIG, encoding="utf-8")
    return folder


def _is_check(cell: Mapping[str, Any]) -> bool:
    mark = cell["metadata"].get("nbgrader", {})
    return bool(mark.get("grade")) and not mark.get("solution")


def scores(course: Path, listed: Sequence[Cheat]) -> dict[str, str]:
    """Hands all in, runs nbgrader's own commands, and reads its gradebook."""
    nbgrader(course, "generate_assignment", _DAY)
    for cheat in listed:
        write_cheat(cheat, course / "submitted" / cheat.slug / _DAY)
    nbgrader(course, "autograde", _DAY, may_fail=True)
    exporter = "--exporter=tlcourse.grading.export_plugins.JsonExport"
    nbgrader(course, "export", exporter, "--to=scores.json")
    rows = json.loads((course / "scores.json").read_text(encoding="utf-8"))
    found = {row["learner"]: row["score"] for row in rows}
    graded = {path.parts[-3] for path in course.glob(f"autograded/*/{_DAY}/*.ipynb")}
    return {
        cheat.slug: f"{found[cheat.slug]:g}" if cheat.slug in graded else NOT_GRADED
        for cheat in listed
    }


def nbgrader(course: Path, *arguments: str, may_fail: bool = False) -> None:
    """Runs one of nbgrader's commands in a course.

    Raises:
        RuntimeError: it fails.
    """
    # nbgrader calls a program that lies beside Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        env={**os.environ, "PATH": path, "TLCOURSE_BACKEND": "simulated"},
    )
    if done.returncode and not may_fail:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])


def read_table(root: Path) -> dict[str, Scored]:
    """What was last measured."""
    path = root / "grader" / "cheats.json"
    if not path.is_file():
        return {}
    return strict.read(dict[str, Scored], json.loads(path.read_text(encoding="utf-8")), path.name)


def write_table(root: Path, rows: Mapping[str, Scored]) -> None:
    """Keeps what was measured, and makes the table of docs/grading.md."""
    text = json.dumps({name: to_data(row) for name, row in rows.items()}, indent=1)
    (root / "grader" / "cheats.json").write_text(text + "\n", encoding="utf-8")
    page = root / "docs" / "grading.md"
    page.write_text(with_table(page.read_text(encoding="utf-8"), rows), encoding="utf-8")


def with_table(page: str, rows: Mapping[str, Scored]) -> str:
    """The page with the table of these rows."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{chr(10).join(_table(rows))}\n\n{END}{tail}"


def _table(rows: Mapping[str, Scored]) -> Iterator[str]:
    yield "| hand-in | `tlcourse grade` | nbgrader with our step | stock nbgrader |"
    yield "|---|---|---|---|"
    for name, row in rows.items():
        stock = row.stock if row.stock in (row.stated, NOT_TRIED) else f"**{row.stock}**"
        yield f"| {name} | {row.stated} | {row.through} | {stock} |"
