"""`tlcourse spec check`: is an exercise fit to be graded by?

The spec is read, the course's solution must earn everything and the untouched notebook nothing,
each mutant must fail for its stated reason, wrong answers of common kinds must not pass the
numeric rule, and judging must be quick.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlcourse.diagnostics import TLError
from tlcourse.grading import rebuilt
from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.guesses import guesses
from tlcourse.grading.authoring.mutants import Mutant, MutantFile
from tlcourse.grading.hand_in import Graded, Runner, graded
from tlcourse.grading.inputs import draw
from tlcourse.grading.judge import judge
from tlcourse.grading.report import as_text
from tlcourse.grading.resident import Resident
from tlcourse.grading.sealed import from_text
from tlcourse.grading.spec import Case, Spec, load, specs_folder
from tlcourse.grading.tracing import Attempt
from tlcourse.records import Verdict
from tlcourse.threads import torch_threads

ALL_SECONDS, PUBLIC_SECONDS = 3.0, 1.0
"""What judging all cases, and the public ones alone, may take on one core."""
SECONDS = "seconds, "
"""How lines that tell a time begin."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that was checked.

    Args:
        what: it.
        ok: whether it is as it must be.
        said: what was seen.
        mutant: the mutant's name, where it is one.
        guess: the kind of wrong answer, where it is one.
    """

    what: str
    ok: bool
    said: str = ""
    mutant: str = ""
    guess: str = ""


@dataclass(frozen=True, kw_only=True)
class Grader:
    """What grades: the trusted process, and what runs learners' code."""

    resident: Resident
    runner: Runner

    def __call__(self, path: Path) -> Graded:
        """What came of a notebook."""
        return graded(path, resident=self.resident, runner=self.runner)


def check_spec(exercise: str, grader: Grader) -> Iterator[Line]:
    """Checks one exercise, line by line.

    Args:
        exercise: its id.
        grader: grades notebooks.
    """
    try:
        spec, file = load(exercise), mutants.read_mutants(exercise)
        notebook = mutants.solution_of(exercise)
    except TLError as problem:
        yield Line(what="spec", ok=False, said=problem.diagnostic.what)
        return
    except ValueError as problem:
        yield Line(what="spec", ok=False, said=str(problem))
        return
    names = tuple(mutant.name for mutant in file.mutants)
    # A text has no mutants: who reads it sees what is wrong with it.
    same = names == spec.mutants and bool(names) == (spec.kind != "written")
    said = f"{len(names)} mutants" if same else f"the spec lists {spec.mutants}, the file {names}"
    yield Line(what="spec", ok=same, said=said)
    source = file.sources.get("solution") or mutants.solution_source(notebook)
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        solved = grader(mutants.write_with(notebook, source, Path(folder) / "solution.ipynb"))
        yield _solution(spec, solved.verdict)
        yield _untouched(spec, grader)
        for mutant in file.mutants:
            yield _mutant(mutant, file, notebook, Path(folder), grader)
    yield from _without_kernels(spec)
    if solved.verdict.state == "PASS":
        yield from _speed(spec, solved)


def timed(exercise: str, grader: Grader) -> Iterator[Line]:
    """Times the judging of the course's solution and checks nothing else."""
    spec, notebook = load(exercise), mutants.solution_of(exercise)
    source = mutants.read_mutants(exercise).sources.get("solution")
    source = source or mutants.solution_source(notebook)
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        solved = grader(mutants.write_with(notebook, source, Path(folder) / "solution.ipynb"))
    if solved.verdict.state == "PASS":
        yield from _speed(spec, solved)


def _solution(spec: Spec, verdict: Verdict) -> Line:
    if spec.kind == "written":
        return Line(what="solution", ok=verdict.state == "TODO", said="a person reads it")
    ok = (verdict.state, verdict.points) == ("PASS", float(spec.points))
    return Line(what="solution", ok=ok, said=_short(verdict))


def _untouched(spec: Spec, grader: Grader) -> Line:
    root = specs_folder().parents[1] / "exercises"
    path = root / mutants.place(spec.id).with_suffix(".ipynb")
    if not path.is_file():
        return Line(what="untouched", ok=False, said=f"{path.name} is missing: `tlcourse build`")
    verdict = grader(path).verdict
    ok = (verdict.state, verdict.points) == ("TODO", 0.0)
    return Line(what="untouched", ok=ok, said=_short(verdict))


def _mutant(
    mutant: Mutant, file: MutantFile, notebook: dict[str, Any], folder: Path, grader: Grader
) -> Line:
    what = f"mutant {mutant.name}"
    try:
        text = mutants.edited(mutant, file.sources, mutants.solution_source(notebook))
    except ValueError as problem:
        return Line(what=what, ok=False, said=str(problem), mutant=mutant.name)
    path = mutants.write_with(notebook, text, folder / f"{mutant.name}.ipynb")
    verdict = grader(path).verdict
    is_named = mutant.said in as_text(verdict)
    ok = verdict.state == mutant.state and verdict.points < verdict.max_points and is_named
    said = f"{_short(verdict)}, {mutant.said!r}"
    if not is_named:
        said = f"{_short(verdict)}; its report does not say {mutant.said!r}"
    return Line(what=what, ok=ok, said=said, mutant=mutant.name)


def _without_kernels(spec: Spec) -> Iterator[Line]:
    """Wrong answers of common kinds; a pass and words have no numbers of their own."""
    for guess in guesses(spec):
        said = f"{guess.rejected} of {guess.tried} rejected"
        yield Line(what=f"guess: {guess.name}", ok=guess.ok, said=said, guess=guess.name)


def _speed(spec: Spec, solved: Graded) -> Iterator[Line]:
    attempts = [
        Attempt(state="sealed" if text else "other", document=text) for text in solved.documents
    ]
    if spec.kind == "kernel" and spec.execution == "simulator":
        yield Line(what="cycles", ok=True, said=", ".join(map(str, cycles(spec, solved))))
    pairs = list(zip(spec.cases, attempts, strict=True))
    judge(spec, spec.cases[:2], attempts[:2])  # loads what judging needs, which is not timed
    for name, chosen, limit in (
        ("public cases", [pair for pair in pairs if pair[0].public], PUBLIC_SECONDS),
        ("all cases", pairs, ALL_SECONDS),
    ):
        seconds = _seconds(spec, chosen)
        said = f"{seconds:.2f} s of computing, the limit is {limit:g} s"
        yield Line(what=f"{SECONDS}{name}", ok=seconds <= limit, said=said)


def _seconds(spec: Spec, chosen: Sequence[tuple[Case, Attempt]]) -> float:
    """Computing time on one core; other work on the machine does not count."""
    with torch_threads(1):
        began = time.process_time()
        judge(spec, [case for case, _ in chosen], [attempt for _, attempt in chosen])
        return time.process_time() - began


def cycles(spec: Spec, solved: Graded) -> list[int]:
    """Simulated cycles of the solution in each case."""
    found: list[int] = []
    asked = [(part, case) for part in spec.parts for case in part.cases]
    for (part, case), document in zip(asked, solved.documents, strict=True):
        if not document:
            continue  # a case of a family that the solution did not choose
        kernel = rebuilt.kernel(part, case, from_text(document))
        launch = rebuilt.launch(part, case, kernel, draw(part, case))
        found.append(launch.timeline.cycles)
    return found


def _short(verdict: Verdict) -> str:
    return f"{verdict.state} {verdict.points:g}/{verdict.max_points:g}"
