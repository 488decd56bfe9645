"""Suite lit: upstream's lit tests of AscendNPU IR on our passes of the same names.

A case is one module under one RUN line: files hold up to a hundred modules, and each has CHECK
lines of its own. RUN lines with passes that are not embedded count as `cannot`, and so do modules
of which nothing but the name of a function is compared.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tlcourse.conformance.child import Child, environment
from tlcourse.conformance.filecheck_run import require_filecheck
from tlcourse.conformance.lit_judge import Verdict, pieces, why_not
from tlcourse.conformance.reasons import ended, too_slow
from tlcourse.conformance.results import Case, Settings
from tlcourse.conformance.run_lines import jobs

FOLDER = Path("bishengir/test")


def run(settings: Settings, tell: Callable[[Case, int], None]) -> list[Case]:
    """Judges all files; `tell` is called from several threads.

    Raises:
        TL716: the package filecheck is not installed.
    """
    require_filecheck()
    root = settings.folder / FOLDER
    wanted = {path: _wanted(settings, path) for path in sorted(root.rglob("*.mlir"))}
    files = [path for path, names in wanted.items() if names]
    total = sum(len(names) for names in wanted.values())

    def work(path: Path) -> list[Case]:
        cases = [case for case in judge_file(settings, path) if case.name in wanted[path]]
        for case in cases:
            tell(case, total)
        return cases

    with ThreadPoolExecutor(settings.jobs) as pool:
        return [case for cases in pool.map(work, files) for case in cases]


def _wanted(settings: Settings, path: Path) -> set[str]:
    """The names of a file's cases that hold the wanted text."""
    cases = _cases(settings, path, _outline(_text(path)), 0.0)
    return {case.name for case in cases if settings.only in case.name}


def judge_file(settings: Settings, path: Path) -> list[Case]:
    """The cases of one file, run in a process of its own where there is something to run."""
    outline = _outline(_text(path))
    if all(verdict.cannot for verdict in outline):
        return _cases(settings, path, outline, 0.0)
    began = time.monotonic()
    with TemporaryDirectory(prefix="tlcourse-") as scratch:
        verdicts = _verdicts(settings, path, Path(scratch), outline)
    seconds = (time.monotonic() - began) / len(verdicts)
    return _cases(settings, path, verdicts, seconds)


def _outline(text: str) -> list[Verdict]:
    """One verdict for each case, before anything has run."""
    return [
        Verdict(run=run, module=module, cannot=bool(cannot), reason=cannot)
        for run, job in enumerate(jobs(text), 1)
        for module, piece in enumerate(pieces(text, job), 1)
        for cannot in (why_not(piece, job),)
    ]


def _verdicts(
    settings: Settings, path: Path, scratch: Path, outline: Sequence[Verdict]
) -> list[Verdict]:
    result = scratch / "result"
    env = environment(settings, scratch)
    with Child("lit_child", [str(result), str(path)], env=env, folder=scratch) as child:
        code = child.wait(settings.case_limit_s)
        if code == 0:
            return [Verdict(**one) for one in json.loads(result.read_text(encoding="utf-8"))]
        why = too_slow(settings.case_limit_s) if code is None else ended(code, child.log())
    return [
        one if one.cannot else Verdict(run=one.run, module=one.module, reason=why)
        for one in outline
    ]


def _cases(
    settings: Settings, path: Path, verdicts: Sequence[Verdict], seconds: float
) -> list[Case]:
    name = path.relative_to(settings.folder / FOLDER)
    return [
        Case(
            folder=name.parent.as_posix(),
            name=f"{name.as_posix()}:{one.run}:{one.module}",
            outcome="cannot" if one.cannot else "failed" if one.reason else "passed",
            reason=one.reason,
            seconds=0.0 if one.cannot else seconds,
        )
        for one in verdicts
    ]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
