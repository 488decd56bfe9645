"""What a learner has done so far: a small JSON file beside the notebooks, written whole."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import cast

from tlcourse.records import Verdict

FOLDER = ".tlcourse"


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


def read() -> dict[str, dict[str, str]]:
    """All that is stored; nothing where the file is missing or damaged."""
    try:
        data = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, dict[str, str]], data) if isinstance(data, dict) else {}


def _path() -> Path:
    return Path.cwd() / FOLDER / "progress.json"


def _write(data: dict[str, dict[str, str]]) -> None:
    path = _path()
    path.parent.mkdir(exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(data, stream, sort_keys=True, ensure_ascii=False, indent=1)
    Path(name).replace(path)
