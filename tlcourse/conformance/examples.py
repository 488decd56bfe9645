"""Suite examples: every file of upstream's examples that has a check of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tlcourse.conformance.child import Child, environment
from tlcourse.conformance.known import Example, example
from tlcourse.conformance.reasons import ended, too_slow
from tlcourse.conformance.results import Case, Outcome, Settings

FOLDER = Path("examples")

_HAS_MAIN = re.compile(r"^if __name__", re.MULTILINE)
_HAS_CHECK = re.compile(r"^if __name__|^\s*def test_", re.MULTILINE)
_NOT_EXAMPLES = ("run_all.py",)


def run(settings: Settings, tell: Callable[[Case, int], None]) -> list[Case]:
    """Runs all examples; `tell` is called from several threads."""
    names = [name for name in examples(settings.folder) if settings.only in name]

    def work(name: str) -> Case:
        case = run_one(settings, name)
        tell(case, len(names))
        return case

    with ThreadPoolExecutor(settings.jobs) as pool:
        return list(pool.map(work, names))


def examples(folder: Path) -> list[str]:
    """Paths below examples/ of the files that have a main block or tests."""
    root = folder / FOLDER
    files = (path for path in sorted(root.rglob("*.py")) if path.name not in _NOT_EXAMPLES)
    return [
        path.relative_to(root).as_posix()
        for path in files
        if _HAS_CHECK.search(path.read_text(encoding="utf-8", errors="replace"))
    ]


def run_one(settings: Settings, name: str) -> Case:
    """Runs one example in a process of its own."""
    how = example(name)
    if how.cannot:
        return _case(name, "cannot", how.cannot, 0.0)
    began = time.monotonic()
    with TemporaryDirectory(prefix="tlcourse-") as scratch:
        reason = _outcome(settings, name, how, Path(scratch))
    outcome: Outcome = "failed" if reason else "passed"
    return _case(name, outcome, reason, time.monotonic() - began)


def _outcome(settings: Settings, name: str, how: Example, scratch: Path) -> str:
    """Why it failed; empty if its check passed."""
    said = scratch / "reason"
    file = settings.folder.resolve() / FOLDER / name
    arguments = [str(said), *_kind(how, file)]
    env = environment(settings, scratch)
    # Its own folder would get what it writes; a scratch folder keeps the checkout clean.
    with Child("example_child", arguments, env=env, folder=scratch) as child:
        code = child.wait(settings.case_limit_s)
        if code is None:
            return too_slow(settings.case_limit_s)
        if code == 0:
            return ""
        if said.exists():
            return said.read_text(encoding="utf-8")
        return ended(code, child.log())


def _kind(how: Example, file: Path) -> list[str]:
    if how.call:
        return ["call", str(file), how.call]
    starts = _HAS_MAIN.search(file.read_text(encoding="utf-8", errors="replace"))
    return ["main" if starts else "pytest", str(file), *how.arguments]


def _case(name: str, outcome: Outcome, reason: str, seconds: float) -> Case:
    folder = name.rsplit("/", 1)[0]
    return Case(folder=folder, name=name, outcome=outcome, reason=reason, seconds=seconds)
