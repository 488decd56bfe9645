"""Looks at a packed package in the sandbox: compiles, installs, uses and tests copies of it.

This process is ours: whatever runs the learner's code is another one, which leaves a report. The
numbers among them are compared by the trusted process, in copies with and without a fault.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import tlcourse
from tlcourse.diagnostics import TLError
from tlcourse.grading import strict
from tlcourse.grading.packages import wheel
from tlcourse.grading.packages.apart import apart
from tlcourse.grading.packages.asked import (
    COPIES,
    RIGHT,
    USED,
    Observed,
    PackageOrder,
    Tested,
    Used,
)
from tlcourse.grading.packages.compiling import Compiled, compiled
from tlcourse.grading.packages.faults import LINES
from tlcourse.grading.packages.packing import MODEL, unpack
from tlcourse.grading.packages.user import Answer, Question
from tlcourse.grading.sealed import Sealed, from_text
from tlcourse.grading.tracing import Attempt, Order, raised, refused
from tlcourse.records import to_json

try:  # pytest comes with the extras that learners and classes install
    from tlcourse.grading.packages.testing import tested
except ImportError:
    tested = None

_COMPILE_SECONDS, _USE_SECONDS, _TEST_SECONDS = 40.0, 20.0, 15.0
_FOLDER = "package"


def inspect(order: Order, document: str) -> tuple[Attempt, ...]:
    """What was seen of a package, then its kernels, one a case.

    Args:
        order: what is asked.
        document: the sealed texts of the package.
    """
    asked = order.package
    assert asked is not None, "a package is asked for"
    with tempfile.TemporaryDirectory(prefix="package-") as scratch:
        folder = Path(scratch) / _FOLDER
        try:
            texts = strict.read(dict[str, str], json.loads(from_text(document).text), "texts")
            unpack(texts, folder)
        except TLError as problem:
            return (refused(problem),) * len(order.bindings)
        made = _compiled(order, asked, folder)
        digest = hashlib.sha256(document.encode()).hexdigest()
        observed = Observed(sha256=digest, stale=made.stale, model=texts.get(MODEL, ""))
        observed = _used_and_tested(asked, folder, made, observed)
    return (_sealed(order, observed), *made.attempts)


def _compiled(order: Order, asked: PackageOrder, folder: Path) -> Compiled:
    report = folder.with_name("compiled.json")
    seen = apart(Compiled, report, _COMPILE_SECONDS, compiled, order, folder)
    if isinstance(seen, Compiled) and len(seen.attempts) == len(asked.wanted):
        return seen
    problem = seen if isinstance(seen, str) else "it left something else than a report"
    failed = raised(RuntimeError(f"compiling the kernels: {problem}"), "")
    return Compiled(attempts=(failed,) * len(asked.wanted), stale=problem, problem=problem)


def _used_and_tested(
    asked: PackageOrder, folder: Path, made: Compiled, observed: Observed
) -> Observed:
    if made.problem:
        return _stopped(observed, f"compiling: {made.problem}")
    try:
        packed = wheel.build_wheel(folder, folder.parent)
    except ValueError as problem:
        return _stopped(observed, str(problem))
    copies = COPIES if asked.has_tests else USED
    sites = {copy: _installed(asked, packed, copy) for copy in copies}
    used = _used(asked, sites, observed)
    observed = replace(observed, used=used)
    if not asked.has_tests:
        return observed
    right = _tested(asked, folder, sites[RIGHT])
    others = COPIES[1:] if right.passed and not right.failed else ()
    reports = {copy: _tested(asked, folder, sites[copy]) for copy in others}
    return replace(observed, tested={RIGHT: right, **reports})


def _stopped(observed: Observed, problem: str) -> Observed:
    used = {copy: Used(problem=problem) for copy in USED}
    return replace(observed, used=used, tested={copy: Tested(said=problem) for copy in COPIES})


def _installed(asked: PackageOrder, packed: Path, copy: str) -> Path:
    """A folder with the package in it, and the copy's fault in its kernels."""
    site = packed.with_name(f"site-{copy.replace(' ', '-')}")
    wheel.install(packed, site)
    kernels = site / asked.name / "artefacts" / "__init__.py"
    with kernels.open("a", encoding="utf-8") as text:
        text.write(LINES.format(copy=copy))
    return site


def _used(asked: PackageOrder, sites: dict[str, Path], observed: Observed) -> dict[str, Used]:
    place = next(iter(sites.values())).parent
    question = Question(
        sites={copy: str(sites[copy]) for copy in USED},
        name=asked.name,
        operator=asked.operator,
        calls=tuple(one.inputs for one in asked.wanted if one.public) if asked.is_called else (),
        model=observed.model if asked.has_model else "",
        sha256=observed.sha256,
        seconds=_USE_SECONDS,
        answer=str(place / "answer.json"),
    )
    path = place / "question.json"
    path.write_text(to_json(question), encoding="utf-8")
    command = [sys.executable, "-m", "tlcourse.grading.packages.user", str(path)]
    try:
        subprocess.run(command, timeout=3 * _USE_SECONDS, check=False)
        found = json.loads(Path(question.answer).read_bytes())
        return strict.read(Answer, found, "answer").used
    except (OSError, ValueError, RecursionError, subprocess.SubprocessError) as problem:
        return {copy: Used(problem=f"{type(problem).__name__}: {problem}") for copy in USED}


def _tested(asked: PackageOrder, folder: Path, site: Path) -> Tested:
    name = f"tests/test_{asked.operator}.py"
    if not (folder / name).is_file():
        return Tested(said=f"there is no {name}")
    if tested is None:
        return Tested(said="pytest is not installed")
    # Tests see themselves and the installed package, not the folder that it was built from.
    place = site.with_name(f"{site.name}-tests")
    shutil.copytree(folder / "tests", place / "tests")
    report = site.with_name(f"{site.name}.json")
    seen = apart(Tested, report, _TEST_SECONDS, tested, place, site, name)
    return Tested(failed=1, said=seen) if isinstance(seen, str) else seen


def _sealed(order: Order, observed: Observed) -> Attempt:
    sealed = Sealed(
        exercise=order.exercise,
        spec_version=order.spec_version,
        tlcourse_version=tlcourse.__version__,
        binding={},
        sources={},
        text=to_json(observed),
    )
    return Attempt(state="sealed", document=sealed.to_text())
