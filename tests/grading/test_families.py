"""Exercises that offer several tasks: the parameters of the learner's function choose one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.grading.authoring import mutants
from tlcourse.grading.families import chosen
from tlcourse.grading.hand_in import graded
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import Spec, load, spec_from
from tlcourse.grading.tracing import Attempt, attempt_all, order_of

CAPSTONE = "d5.capstone"


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load(CAPSTONE)


@pytest.mark.parametrize("source", ["gemm", "norm", "sparse_ahead"])
def test_the_reference_of_every_other_task_earns_all(tmp_path: Path, source: str) -> None:
    text = mutants.read_mutants(CAPSTONE).sources[source]
    path = mutants.write_with(mutants.solution_of(CAPSTONE), text, tmp_path / "x.ipynb")
    found = graded(path)
    assert (found.verdict.state, found.verdict.points) == ("PASS", 40.0), as_text(found.verdict)
    assert sum(bool(text) for text in found.documents) == 3


def states(spec: Spec, function: Callable[..., object]) -> list[str]:
    return [one.state for one in attempt_all(order_of(spec, spec.cases), function)]


def test_a_function_is_called_for_its_own_task_alone(spec: Spec) -> None:
    def capstone(M: int, N: int, K: int, block: int = 64) -> object:
        raise ValueError

    assert states(spec, capstone) == ["other"] * 3 + ["raised"] * 3 + ["other"] * 6
    assert states(spec, lambda **sizes: None) == ["other"] * 12
    assert states(spec, 3) == ["refused"] * 12  # pyright: ignore[reportArgumentType]


def test_cases_of_other_tasks_do_not_count(spec: Spec) -> None:
    others = [Attempt(state="other")] * 6
    attempts = [*others[:3], *[Attempt(state="raised")] * 3, *others]
    part, cases, own = chosen(spec, spec.cases, attempts)
    assert [one.name for one in part.parameters] == ["A", "SA", "B", "SB", "C"]
    assert tuple(cases) == part.cases
    assert [one.state for one in own] == ["raised"] * 3
    # Whoever mixes tasks is judged by the first one, and what is left out of it is lost.
    mixed = [Attempt(state="raised"), Attempt(state="other"), Attempt(state="other")]
    part, cases, own = chosen(spec, spec.cases, [*mixed, *[Attempt(state="raised")] * 3, *others])
    assert part.parameters[0].name == "Q"
    assert [one.state for one in own] == ["raised", "other", "other"]


def test_a_function_of_no_task_is_told_which_there_are(spec: Spec) -> None:
    part, cases, own = chosen(spec, spec.cases, [Attempt(state="other")] * 12)
    assert len(cases) == len(own) == len(part.cases)
    diagnostic = own[0].diagnostic
    assert diagnostic is not None
    assert diagnostic.code == "TL643"
    for names in ("(S, D, heads, group)", "(M, N, K)", "(S, L, D, heads, top)", "(M, D, N)"):
        assert names in diagnostic.why


def test_a_case_belongs_to_a_family_that_there_is() -> None:
    data = {
        "schema": 1,
        "id": "d9.a",
        "version": 1,
        "kind": "kernel",
        "track": "deep",
        "minutes": 1,
    }
    data |= {"points": 1, "needs": [], "entry": "a", "title": "a", "title_zh": "b"}
    data["cases"] = [{"family": "x", "binding": {"N": 1}, "label": "a", "label_zh": "b"}]
    with pytest.raises(ValueError, match="none of"):
        spec_from(data)
