"""What a learner has done so far: a small JSON file in the learner's working copy, written whole.

Elsewhere, as in a checkout where tests run the notebooks, it is kept until the process ends.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import cast

from tlcourse.records import Verdict
from tlcourse.stored import alone, not_kept, put

MANIFEST = ".tlcourse.json"
"""The file that `tlcourse lab` puts into the root of a working copy."""
_FILE = ".tlcourse/progress.json"
_of_this_process: dict[str, dict[str, str]] = {}


def store_answer(exercise: str, value: str) -> None:
    """Keeps an answer to a prediction or a question."""
    _keep("answers", exercise, value)


def store_verdict(verdict: Verdict) -> None:
    """Keeps the state and points of the latest check; practice only."""
    points = f"{verdict.points:g}/{verdict.max_points:g}"
    _keep("checks", verdict.exercise, f"{verdict.state} {points}")


def store_cap(exercise: str, percent: int, copy: Path) -> None:
    """Keeps that at most a part of an exercise's points counts from now on."""
    _change(copy / _FILE, "caps", exercise, str(percent))


def read() -> dict[str, dict[str, str]]:
    """All that is stored; nothing where the file is missing or damaged."""
    path = _path()
    if path is None:
        return deepcopy(_of_this_process)
    return _read_from(path)


def _read_from(path: Path) -> dict[str, dict[str, str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, dict[str, str]], data) if isinstance(data, dict) else {}


def _path() -> Path | None:
    """The file of the working copy that the current folder lies in."""
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / MANIFEST).is_file()), None)
    return root / _FILE if root is not None else None


def _keep(part: str, exercise: str, value: str) -> None:
    path = _path()
    if path is None:
        _of_this_process.setdefault(part, {})[exercise] = value
        return
    try:
        _change(path, part, exercise, value)
    except OSError as problem:
        fix = "work in a folder that you may write to: tlcourse lab --folder DIR"
        not_kept(problem, path, "your answers and checks are not kept", fix=fix)


def _change(path: Path, part: str, exercise: str, value: str) -> None:
    """Sets one value; what another notebook sets at the same time is kept, too."""
    with alone(path.with_suffix(".lock")):
        data = _read_from(path)
        data.setdefault(part, {})[exercise] = value
        text = json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1)
        put(path, text.encode())
