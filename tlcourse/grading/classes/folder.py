"""The folder of a class, which is also nbgrader's course root.

```
CLASS/roster.csv  class.toml  secret  decisions.csv  nbgrader_config.py
CLASS/source/dayN/slug.ipynb          the release that learners get
CLASS/submitted/ID/dayN/slug.ipynb    hand-ins
CLASS/report/                         results and pages
```
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from tlcourse.diagnostics import TLError, error
from tlcourse.grading import strict
from tlcourse.grading.bulk.grading import STORE
from tlcourse.grading.bulk.store import read_all
from tlcourse.grading.classes import gradebook
from tlcourse.grading.classes import roster as roster_file
from tlcourse.grading.classes.decisions import HEAD as DECISIONS_HEAD
from tlcourse.grading.spec import specs_folder
from tlcourse.grading.version import grading_version
from tlcourse.grading.whole import write_whole

SCHEMA = 1
REPORT = "report"
_SPECS = "specs.json"
_ONLY_OWNER = 0o600

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is fixed for a class.

    Args:
        grading_version: of passes and timing; results are comparable while it stays.
        variants: folder of private specs, for a class whose marks count; may be relative.
        seconds: CPU time that one hand-in may take.
        deadlines: day or exercise to the moment after which a hand-in is late, in local time.
    """

    grading_version: str
    variants: str = ""
    seconds: int = 30
    deadlines: dict[str, str] = field(default_factory=dict[str, str])


def init(
    folder: Path,
    *,
    old: Path | None = None,
    variants: Path | None = None,
    learners: Path | None = None,
) -> None:
    """Makes a class folder with a new secret.

    Args:
        folder: a new folder.
        old: a class of an earlier year; its settings and its solutions are taken over, its
            roster, secret and deadlines are not.
        variants: folder of private specs.
        learners: a roster to start with; where nbgrader is installed, its gradebook gets them.

    Raises:
        TL621: the roster cannot be used.
        TL620: the folder holds something already, or is a file.
        TL623: the old class has no settings, or there is no folder of variants.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise _taken(folder)
    before = settings(old) if old is not None else None
    if variants is not None and not variants.is_dir():
        raise no_settings(folder, f"there is no folder {variants} of variants")
    taken = str(variants.resolve()) if variants else before.variants if before else ""
    now = Settings(
        grading_version=grading_version(),
        variants=taken,
        seconds=before.seconds if before else Settings.seconds,
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".class-", dir=folder.parent) as scratch:
        made = Path(scratch) / "class"
        _fill(made, now, earlier_of(old) if old is not None else {})
        if learners is not None:
            shutil.copyfile(learners, made / "roster.csv")
            found = roster_file.roster(made)
            if gradebook.is_here():
                gradebook.write_students(gradebook.address(made), found)
        if folder.exists():
            folder.rmdir()
        made.rename(folder)


def _fill(made: Path, now: Settings, earlier: Mapping[str, list[tuple[int, ...]]]) -> None:
    (made / "submitted").mkdir(parents=True)
    write_whole(made / "roster.csv", ",".join(roster_file.HEAD) + "\n")
    write_whole(made / "decisions.csv", ",".join(DECISIONS_HEAD) + "\n")
    write_whole(made / "secret", secrets.token_hex(32) + "\n", mode=_ONLY_OWNER)
    write_whole(made / "earlier.json", json.dumps(earlier, sort_keys=True) + "\n")
    save(made, now)
    template = specs_folder().parent / "class" / "nbgrader_config.py"
    write_whole(made / "nbgrader_config.py", template.read_bytes())
    exercises = specs_folder().parents[1] / "exercises"
    for path in sorted(exercises.glob("day*/*.ipynb")):
        target = made / "source" / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def settings(folder: Path) -> Settings:
    """What is fixed for a class.

    Raises:
        TL623: class.toml is missing or does not say what it must say.
    """
    try:
        data = tomllib.loads((folder / "class.toml").read_text(encoding="utf-8"))
        if data.pop("schema", None) != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        found = strict.read(Settings, data, "class.toml")
        for name, moment in found.deadlines.items():
            _check_moment(name, moment)
    except FileNotFoundError as problem:
        raise no_settings(folder, "there is no such file") from problem
    except OSError as problem:
        raise no_settings(folder, f"it cannot be read: {problem.strerror}") from problem
    except ValueError as problem:
        raise no_settings(folder, str(problem)) from problem
    return found


def save(folder: Path, now: Settings) -> None:
    """Writes class.toml."""
    lines = [
        f"schema = {SCHEMA}",
        f"grading_version = {json.dumps(now.grading_version)}",
        f"variants = {json.dumps(now.variants, ensure_ascii=False)}",
        f"seconds = {now.seconds}",
        "",
        "[deadlines] # a day or an exercise, in local time",
        *(f"{json.dumps(name)} = {json.dumps(time)}" for name, time in now.deadlines.items()),
    ]
    write_whole(folder / "class.toml", "\n".join(lines) + "\n")


def secret(folder: Path) -> str:
    """The seed of the class's inputs: the same for all of its learners.

    Raises:
        TL623: it is missing.
    """
    try:
        found = (folder / "secret").read_text(encoding="ascii").strip()
    except (OSError, ValueError) as problem:
        raise no_settings(folder, "its file `secret` is missing or damaged") from problem
    if not found:
        raise no_settings(folder, "its file `secret` is empty")
    return found


def use_variants(folder: Path, now: Settings) -> None:
    """Lets specs be read with the class's private parts over them, here and in child processes.

    Raises:
        TL623: the folder of variants is gone.
    """
    from tlcourse.grading import spec

    os.environ.pop("TLCOURSE_PRIVATE", None)
    if now.variants:
        variants = folder / now.variants
        if not variants.is_dir():
            raise no_settings(folder, f"there is no folder {variants} of variants")
        os.environ["TLCOURSE_PRIVATE"] = str(variants)
    spec.load.cache_clear()


def earlier(folder: Path) -> dict[str, list[tuple[int, ...]]]:
    """Fingerprints of right kernels of earlier classes, by exercise."""
    data = read_json(folder, "earlier.json")
    found = _checked(dict[str, tuple[tuple[int, ...], ...]], data, folder, "earlier.json")
    return {exercise: list(prints) for exercise, prints in found.items()}


def pinned(folder: Path) -> dict[str, str]:
    """By exercise, the spec that its hand-ins were graded by."""
    return _checked(dict[str, str], read_json(folder, _SPECS), folder, _SPECS)


def pin(folder: Path, specs: Mapping[str, str]) -> None:
    """Writes down which specs hand-ins were graded by."""
    write_whole(folder / _SPECS, json.dumps(dict(specs), sort_keys=True, indent=1) + "\n")


def read_json(folder: Path, name: str) -> object:
    """What one of the class's own files holds; an empty table where there is no such file.

    Raises:
        TL623: the file is damaged.
    """
    path = folder / name
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as problem:
        raise no_settings(folder, f"{name} is damaged: {problem}") from problem


def _checked(kind: type[R], data: object, folder: Path, name: str) -> R:
    try:
        return strict.read(kind, data, name)
    except ValueError as problem:
        raise no_settings(folder, f"{name} is damaged: {problem}") from problem


def earlier_of(old: Path) -> dict[str, list[tuple[int, ...]]]:
    """What a new class takes from an old one: those it had, and its own right kernels."""
    found = earlier(old)
    for done in read_all(old / REPORT / STORE):
        known = found.setdefault(done.verdict.exercise, [])
        if done.verdict.state == "PASS" and done.prints and done.prints not in known:
            known.append(done.prints)
    return found


def _check_moment(name: str, moment: str) -> None:
    try:
        datetime.fromisoformat(moment)
    except ValueError as problem:
        raise ValueError(f"the deadline of {name} is no time: {moment}") from problem


def no_settings(folder: Path, why: str) -> TLError:
    """TL623: the class folder lacks what `class init` puts there."""
    return error(
        "TL623",
        f"{folder.resolve().name} is not a class that can be graded",
        why=f"class.toml and what it names: {why}",
        fix="make the folder with `tlcourse class init`, or put the file back from an archive",
    )


def _taken(folder: Path) -> TLError:
    is_what = "is not empty" if folder.is_dir() else "is a file"
    return error(
        "TL620",
        f"{folder.resolve().name} {is_what}",
        why="a class gets a folder of its own, so that nothing is overwritten",
        fix="name a new folder",
    )
