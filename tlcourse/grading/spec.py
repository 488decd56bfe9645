"""Exercise specs: one TOML file an exercise, read into frozen records and checked.

A spec says what is asked in data: parameters, shapes, torch references and bounds as
expressions, weights, required effects, suspects and hints. A private file of the same name
under TLCOURSE_PRIVATE is merged over the public one.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tlcourse.diagnostics import TLError, error
from tlcourse.grading import strict
from tlcourse.grading.spec_parts import (
    AskedEffect,
    AskedPackage,
    Case,
    Family,
    Hint,
    Item,
    Output,
    Rubric,
    SpecParameter,
    Structure,
    Suspect,
    Symptom,
    Weights,
)
from tlcourse.grading.words import WORDS

Kind = Literal["kernel", "ir", "pass", "answer", "package", "written"]

SCHEMA = 1

# What kinds without shapes have in place of cases.
_WHOLE: dict[str, dict[str, Any]] = {
    "answer": {"binding": {}, "label": "your answers", "label_zh": "你的答案"},
    "written": {"binding": {}, "label": "your text", "label_zh": "你的文字"},
}
_PACKAGE: dict[str, Any] = {"binding": {}, "label": "the package", "label_zh": "算子包"}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One exercise. `sha256` covers the public and the private text.

    `items` belong to answers, and `full_at` is how many right ones earn all points (0: all);
    `structure` belongs to IR and passes; `given` is the source of the factories whose kernels a
    pass gets; `package` belongs to packages, whose first case is the package itself. `execution`
    says who runs a kernel: the chip, or, for one that does not divide its work over the cores yet,
    the functional executor.
    """

    id: str
    version: int
    kind: Kind
    track: Literal["core", "more", "deep"]
    minutes: int
    points: int
    needs: tuple[str, ...]
    entry: str
    title: str
    title_zh: str
    parameters: tuple[SpecParameter, ...] = ()
    outputs: tuple[Output, ...] = ()
    cases: tuple[Case, ...] = ()
    families: tuple[Family, ...] = ()
    items: tuple[Item, ...] = ()
    full_at: int = 0
    structure: Structure = field(default_factory=Structure)
    package: AskedPackage = field(default_factory=AskedPackage)
    given: str = ""
    execution: Literal["simulator", "functional"] = "simulator"
    effects: tuple[AskedEffect, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    hints: tuple[Hint, ...] = ()
    rubric: tuple[Rubric, ...] = ()
    mutants: tuple[str, ...] = ()
    weights: Weights = field(default_factory=Weights)
    sha256: str = ""

    @property
    def public_cases(self) -> tuple[Case, ...]:
        """The cases that a learner may see."""
        return tuple(case for case in self.cases if case.public)

    @property
    def run_cases(self) -> tuple[Case, ...]:
        """The cases that something is run for."""
        return self.cases[1:] if self.kind == "package" else self.cases

    @property
    def parts(self) -> tuple[Spec, ...]:
        """The spec of each family; where there are none, the spec itself."""
        return tuple(self.of(one) for one in self.families) or (self,)

    def of(self, family: Family) -> Spec:
        """The spec as it would be if it offered one family alone."""
        return replace(
            self,
            families=(),
            parameters=family.parameters,
            outputs=family.outputs,
            effects=family.effects,
            suspects=family.suspects,
            cases=tuple(case for case in self.cases if case.family == family.name),
        )

    def at(self, case: Case) -> Spec:
        """The spec with the dtypes of a case."""
        if not case.dtype:
            return self
        parameters = (replace(one, dtype=case.dtype) for one in self.parameters)
        return replace(self, parameters=tuple(parameters))


def specs_folder() -> Path:
    """Where specs lie: in this checkout, else in the installed package."""
    package = Path(__file__).parents[1]
    checkout = package.parent / "grader" / "specs"
    return checkout if checkout.is_dir() else package / "course_files" / "grader" / "specs"


def known_ids() -> list[str]:
    """Ids of all exercises that have a spec."""
    return sorted(_id_of(path) for path in specs_folder().glob("day*/*.toml"))


@cache
def load(exercise: str) -> Spec:
    """Reads the spec of an exercise.

    Raises:
        TL601: there is no such exercise.
        TL602: the spec's file does not say what a spec must say.
    """
    path = _path(exercise)
    if path is None or not path.is_file():
        raise _unknown(exercise)
    texts = [path.read_bytes()]
    data = _parse(texts[0], path)
    private = _private(path)
    if private is not None:
        texts.append(private.read_bytes())
        data = {**data, **_parse(texts[1], private)}
    try:
        spec = spec_from(data, hashlib.sha256(b"\0".join(texts)).hexdigest())
    except ValueError as problem:
        raise _broken(path, str(problem)) from problem
    if spec.id != exercise:
        raise _broken(path, f"its id is {spec.id}, its file stands for {exercise}")
    return spec


def spec_from(data: Mapping[str, Any], sha256: str = "") -> Spec:
    """A spec from the data of its file.

    Raises:
        ValueError: a key is missing, unknown, or of another type than it must be.
    """
    if data.get("schema") != SCHEMA:
        raise ValueError(f"schema is {data.get('schema')}, this program reads {SCHEMA}")
    rest = {key: value for key, value in data.items() if key != "schema"}
    if rest.get("kind") in _WHOLE:
        rest["cases"] = [_WHOLE[rest["kind"]]]
    if rest.get("kind") == "package":
        rest["cases"] = [_PACKAGE, *rest.get("cases", ())]
    spec = strict.read(Spec, {**rest, "sha256": sha256}, "spec")
    if {case.family for case in spec.cases} - {one.name for one in spec.families} - {""}:
        raise ValueError("a case names a family that is none of [[families]]")
    for part in spec.parts:
        _check(part)
    return spec


def _check(spec: Spec) -> None:
    results = [p.name for p in spec.parameters if p.role != "in"]
    if spec.kind == "answer" and not 0 <= spec.full_at <= len(spec.items) != 0:
        raise ValueError("[[items]] is missing, or full_at is more than there are")
    if sum(line.points for line in spec.rubric) != (spec.points if spec.kind == "written" else 0):
        raise ValueError("the points of [[rubric]] are those of a written exercise, and add up")
    if (spec.kind == "package") != bool(spec.package.operator and spec.package.rules):
        raise ValueError("a package, and nothing else, has [package] with an operator and rules")
    if spec.kind == "pass" and not (spec.given and all(case.given for case in spec.cases)):
        raise ValueError("a pass needs `given`, and each of its cases names a factory in it")
    # What a pass must keep is what the given kernel computes: it has no reference of its own.
    if spec.kind != "pass" and [output.name for output in spec.outputs] != results:
        raise ValueError(f"[[outputs]] must describe {results} in this order")
    if any(suspect.name not in results for suspect in spec.suspects):
        raise ValueError("[[suspects]] names a parameter that is no output")
    if any(symptom.name not in results for symptom in spec.symptoms):
        raise ValueError("[[symptoms]] names a parameter that is no output")
    if any(where not in WORDS for symptom in spec.symptoms for where in symptom.where):
        raise ValueError("[[symptoms]] names a pattern that grading has no words for")
    if not spec.cases or not spec.cases[0].public:
        raise ValueError("the first case is public")
    weights = spec.weights
    total = weights.lowers + weights.numbers + weights.effects + weights.cycles + weights.package
    if total != 100:
        raise ValueError("the weights do not add up to 100")


def _path(exercise: str) -> Path | None:
    day, dot, slug = exercise.partition(".")
    if not dot or not day.startswith("d") or not day[1:].isdecimal() or not slug.isidentifier():
        return None
    return specs_folder() / f"day{day[1:]}" / f"{slug}.toml"


def _id_of(path: Path) -> str:
    return f"d{path.parent.name.removeprefix('day')}.{path.stem}"


def _private(path: Path) -> Path | None:
    folder = os.environ.get("TLCOURSE_PRIVATE")
    if not folder:
        return None
    private = Path(folder) / path.parent.name / path.name
    return private if private.is_file() else None


def _parse(text: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise _broken(path, str(problem)) from problem


def _unknown(exercise: str) -> TLError:
    import difflib

    near = difflib.get_close_matches(exercise, known_ids(), n=1)
    ask = f"did you mean {near[0]}?" if near else f"exercises are: {', '.join(known_ids())}"
    return error(
        "TL601",
        f"there is no exercise {exercise}",
        why="an id is the day, a dot and the exercise's name, for example d2.minicv",
        fix=ask,
    )


def _broken(path: Path, reason: str) -> TLError:
    return error(
        "TL602",
        f"the spec {path.parent.name}/{path.name} cannot be used: {reason}",
        why="hand-ins are judged by what the spec says, so every key is checked",
        fix="correct the file",
    )
