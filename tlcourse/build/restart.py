"""`tlcourse reset` and `tlcourse checkpoint`: an exercise anew in the learner's working copy.

Whatever stood in the notebook is kept beside it, as `minicv.ipynb.bak`, `minicv.ipynb.bak1` and so
on; a file of the learner's is never overwritten.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, cast

from tlcourse.build.workspace import course_folder, for_learner, note_in_manifest, write
from tlcourse.diagnostics import error
from tlcourse.grading import progress_file
from tlcourse.grading.progress_file import MANIFEST
from tlcourse.grading.spec import load
from tlcourse.grading.words import Language

CAP_PERCENT = 50


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where a step can be started from.

    Args:
        before: the step before: an exercise, or the lesson whose last stage it is.
        notebook: what holds its reference, from the folder of the course; empty where the
            exercise itself gives it.
        cells: the ids of the cells there that make the reference.
        factory: the name in the last of them that becomes the exercise's own name.
    """

    before: str
    notebook: str = ""
    cells: tuple[str, ...] = ("given",)
    factory: str

    def capped(self, exercise: str) -> str:
        """The exercise whose points the start limits: the one whose work is given away."""
        return self.before if self.notebook == "" else exercise


STARTS = {
    "d2.softmax": Start(
        before="d2.row_ops",
        notebook="notebooks/day2/06_row_ops.ipynb",
        cells=("softmax",),
        factory="row_softmax",
    ),
    "d3.flash_attention": Start(
        before="d3.flash",
        notebook="notebooks/day3/03_flash.ipynb",
        cells=("macro", "flash"),
        factory="flash",
    ),
    "d4.sync": Start(before="d4.split", factory="two_scopes"),
    "d4.two_vectors": Start(before="d4.sync", factory="all_flags"),
    "d4.fill_bubbles": Start(before="d4.two_vectors", factory="in_turn"),
}


def working_copy(folder: Path | None = None) -> Path:
    """The working copy that a folder lies in, else `tlcourse-lab` in the current one.

    Raises:
        TL806: there is none.
    """
    here = folder or Path.cwd()
    places = [*(here, *here.parents)] if folder is None else [here]
    for place in (*places, here / "tlcourse-lab"):
        if (place / MANIFEST).is_file():
            return place
    raise error(
        "TL806",
        f"there is no working copy of the course in {here}",
        why="`tlcourse lab` makes one, in the folder tlcourse-lab",
        fix="run `tlcourse lab` first, or give the folder: --folder PATH",
    )


def reset(exercise: str, copy: Path, language: Language = "en") -> Path | None:
    """Gives back the untouched exercise.

    Args:
        exercise: its id.
        copy: the working copy.
        language: of the notebook.

    Returns:
        where the old notebook is kept; None where there was nothing to keep.

    Raises:
        TL601: there is no such exercise.
        TL707: the course's notebooks are not here.
    """
    name = _name(exercise, language)
    data = for_learner(course_folder() / name)
    kept = _put(copy / name, data)
    note_in_manifest(copy, name, data)
    return kept


def before(exercise: str) -> Start:
    """What a step starts from.

    Raises:
        TL601: there is no such exercise.
        TL807: it continues no other step.
    """
    load(exercise)
    if exercise in STARTS:
        return STARTS[exercise]
    raise error(
        "TL807",
        f"{exercise} continues no step before it",
        why="a checkpoint gives the reference of the step before; most exercises stand alone",
        fix=f"take one of {', '.join(STARTS)}; `tlcourse hint {exercise}` gives a hint",
    )


def checkpoint(exercise: str, copy: Path, language: Language = "en") -> Path | None:
    """Starts a step from the reference of the step before, written into its solution cell.

    Returns:
        where the old notebook is kept; None where there was nothing to keep.

    Raises:
        TL601, TL807: as `before` does.
    """
    start = before(exercise)
    name = _name(exercise, language)
    notebook = cast("dict[str, Any]", json.loads(for_learner(course_folder() / name)))
    cells = cast("list[dict[str, Any]]", notebook["cells"])
    solution = next(cell for cell in cells if _is_solution(cell))
    giver = cells if not start.notebook else _cells(course_folder() / start.notebook)
    solution["source"] = started(_source(solution), _texts(giver, start.cells), start.factory)
    data = (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
    kept = _put(copy / name, data)
    progress_file.store_cap(start.capped(exercise), CAP_PERCENT, copy)
    return kept


def started(stub: str, given: str, factory: str) -> str:
    """The text of a solution cell that begins with a given kernel.

    Args:
        stub: the untouched cell; its decorators, name and parameters stay.
        given: a text that ends with the function `factory`.
        factory: the name of the function whose body is taken.
    """
    lines = given.splitlines()
    tree = ast.parse(given)
    made = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == factory)
    head = stub[: stub.index(":\n", stub.index("\ndef ")) + 2]
    task = [line for line in stub[len(head) :].splitlines() if line.startswith("    #")][:1]
    known = {one.arg for one in _function(stub).args.args}
    extra = [f"    {k} = {v}" for k, v in _defaults(made).items() if k not in known]
    body = lines[_first_line(made.body[0]) - 1 : made.end_lineno]
    above = "\n".join(lines[: _first_line(made) - 1]).strip()
    text = head + "\n".join([*task, *extra, *body]) + "\n"
    return f"{above}\n\n\n{text}" if re.search(r"^(def|@)", above, re.MULTILINE) else text


def _first_line(node: ast.stmt) -> int:
    """The line of a statement, of its first decorator where it has one."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _function(stub: str) -> ast.FunctionDef:
    return next(node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef))


def _defaults(function: ast.FunctionDef) -> dict[str, str]:
    names = [one.arg for one in function.args.args]
    values = [ast.unparse(one) for one in function.args.defaults]
    return dict(zip(names[len(names) - len(values) :], values, strict=True))


def _name(exercise: str, language: Language) -> str:
    load(exercise)
    day, _, slug = exercise.partition(".")
    part = "exercises" if language == "en" else f"exercises/{language}"
    return f"{part}/day{day[1:]}/{slug}.ipynb"


def _put(path: Path, data: bytes) -> Path | None:
    """Writes a file; what stood there, if it was another, is kept under a new name."""
    kept = None
    if path.exists() and path.read_bytes() != data:
        kept = _free(path)
        shutil.copy2(path, kept)
    write(path, data)
    return kept


def _free(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in count())
    return next(one for one in names if not one.exists())


def _cells(path: Path) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", json.loads(path.read_text(encoding="utf-8"))["cells"])


def _texts(cells: Iterable[dict[str, Any]], wanted: tuple[str, ...]) -> str:
    texts = {str(cell["id"]): _source(cell) for cell in cells}
    return "\n\n\n".join(texts[name] for name in wanted)


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _is_solution(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))
