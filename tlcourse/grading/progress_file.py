"""What a learner has done so far: a small JSON file in the learner's working copy, written whole.

Elsewhere, as in a checkout where tests run the notebooks, it is kept until the process ends.
"""

from __future__ import annotations

import json
import os
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import cast

from tlcourse.records import Verdict

MANIFEST = ".tlcourse.json"
"""The file that `tlcourse lab` puts into the root of a working copy."""
_FILE = ".tlcourse/progress.json"
_of_this_process: dict[str, dict[str, str]] = {}


def store_answer(exercise: str, value: str) -> None:
    """Keeps an answer to a prediction or a question."""
    data = read()
    data.setdefault("answers", {})[exercise] = value
    _write(data)


def store_verdict(verdict: Verdict) -> None:
    """Keeps the state and points of the latest check; practice only."""
    data = read()
    points = f"{verdict.points:g}/{verdict.max_points:g}"
    data.setdefault("checks", {})[verdict.exercise] = f"{verdict.state} {points}"
    _write(data)


def store_cap(exercise: str, percent: int, copy: Path) -> None:
    """Keeps that at most a part of an exercise's points counts from now on."""
    data = _read_from(copy / _FILE)
    data.setdefault("caps", {})[exercise] = str(percent)
    _write_to(copy / _FILE, data)


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


def _write(data: dict[str, dict[str, str]]) -> None:
    path = _path()
    if path is None:
        _of_this_process.update(data)
    else:
        _write_to(path, data)


def _write_to(path: Path, data: dict[str, dict[str, str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(data, stream, sort_keys=True, ensure_ascii=False, indent=1)
    Path(name).replace(path)
