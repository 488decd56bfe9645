"""Uses copies of a package as somebody does who has installed it. A process of its own.

Usage: python -m tlcourse.grading.packages.user QUESTION. It begins with torch alone, so that what
the import of the package brings along is seen; the answer goes to the file that the question names.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import torch

from tlcourse.grading.packages.apart import apart
from tlcourse.grading.packages.asked import (
    START,
    Numbers,
    TensorKind,
    Used,
    drawn,
    numbers_of,
    seed_of,
    tokens_of,
)
from tlcourse.records import from_json, to_json

_MODEL = "handed_in_model"


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is done with the copies.

    Args:
        sites: copy to the folder that it is installed in.
        name: of the package.
        operator: of the operator.
        calls: inputs that it is called with.
        model: text of the model that it is put into; empty where there is none.
        sha256: of the package's texts.
        seconds: wall time that a copy may take.
        answer: file for the answer.
    """

    sites: dict[str, str]
    name: str
    operator: str
    calls: tuple[tuple[TensorKind, ...], ...]
    model: str
    sha256: str
    seconds: float
    answer: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What each copy did."""

    used: dict[str, Used]


def main(question: Question) -> None:
    """Uses each copy in a fork of this process, which has torch and nothing of the package."""
    used: dict[str, Used] = {}
    for copy in question.sites:
        report = Path(f"{question.answer}.{copy.replace(' ', '_')}")
        seen = apart(Used, report, question.seconds, use, question, copy)
        used[copy] = Used(problem=seen) if isinstance(seen, str) else seen
    Path(question.answer).write_text(to_json(Answer(used=used)), encoding="utf-8")


def use(question: Question, copy: str) -> Used:
    """Imports a copy, calls its operator and runs the model on it."""
    sys.path.insert(0, question.sites[copy])
    imported: list[str] = []
    sys.addaudithook(_noting(imported))
    try:
        importlib.import_module(question.name)
    except BaseException as problem:  # noqa: BLE001 - whatever a learner's code raises is reported
        return Used(problem=_in_words(problem))
    brought = tuple(sorted(set(imported)))
    operator = _operator(question)
    if operator is None:
        return Used(imported=brought)
    try:
        results = tuple(_results(question, operator))
        logits, kernels = _run_model(question) if question.model else (None, ())
    except BaseException as problem:  # noqa: BLE001 - as above
        return Used(problem=_in_words(problem), imported=brought, is_found=True)
    return Used(imported=brought, is_found=True, results=results, logits=logits, kernels=kernels)


def _noting(imported: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """A hook that notes imports; Python lets nobody take a hook away."""

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            imported.append(str(arguments[0]))

    return note


def _operator(question: Question) -> Callable[..., object] | None:
    namespace = getattr(torch.ops, question.name)
    return cast("Callable[..., object] | None", getattr(namespace, question.operator, None))


def _results(question: Question, operator: Callable[..., object]) -> list[Numbers]:
    seed = seed_of(question.sha256)
    found: list[Numbers] = []
    for index, kinds in enumerate(question.calls):
        result = operator(*drawn(kinds, seed + index))
        if not isinstance(result, torch.Tensor):
            raise TypeError(f"{question.operator} gives a {type(result).__name__}, not a tensor")
        found.append(numbers_of(result))
    return found


def _run_model(question: Question) -> tuple[Numbers, tuple[str, ...]]:
    """Logits of the model with forced tokens, and the package's kernels that ran for them."""
    from tlcourse.ops import recorded

    seed = seed_of(question.sha256)
    own = ModuleType(_MODEL)
    sys.modules[_MODEL] = own  # dataclasses look their module up
    exec(compile(question.model, "model.py", "exec"), vars(own))
    module: Any = own
    sizes = module.Sizes(seed=seed)
    with recorded() as calls:
        tokens = tokens_of(seed, sizes.vocabulary)
        logits = module.forced(module.Model(sizes), tokens, START)
    kernels = {call.operator for call in calls if call.package == question.name}
    return numbers_of(logits.float()), tuple(sorted(kernels))


def _in_words(problem: BaseException) -> str:
    lines = str(problem).splitlines() or [""]
    return f"{type(problem).__name__}: {lines[0]}".rstrip(": ")


if __name__ == "__main__":
    main(from_json(Question, Path(sys.argv[1]).read_text(encoding="utf-8")))
