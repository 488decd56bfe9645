"""Suite npuir on a small checkout: outcomes, hanging and dying cases, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.conformance import Case, Report, Settings, run_suite
from tlcourse.conformance.known import explanations
from tlcourse.conformance.npuir import batches, judged
from tlcourse.conformance.results import Execution
from tlcourse.diagnostics import TLError
from tlcourse.records import Backend

pytestmark = pytest.mark.slow

OTHERS = "others/test_others.py::"


@pytest.fixture(scope="module")
def before(checkout: Path) -> list[str]:
    return sorted(map(str, checkout.rglob("*")))


@pytest.fixture(scope="module")
def told() -> list[tuple[str, int]]:
    return []


@pytest.fixture(scope="module")
def report(checkout: Path, before: list[str], told: list[tuple[str, int]]) -> Report:
    assert before, "listed before the run"
    settings = Settings(suite="npuir", folder=checkout, jobs=2, case_limit_s=10)
    return run_suite(settings, lambda case, total: told.append((case.name, total)))


def case(report: Report, name: str) -> Case:
    return next(case for case in report.cases if case.name == name)


def test_a_kernel_runs_on_ours_and_examples_is_upstreams(report: Report) -> None:
    found = case(report, "arith/test_kernels.py::test_right")
    assert (found.outcome, found.reason, found.folder) == ("passed", "", "arith")


def test_a_case_that_passes_fails_by_what_the_executor_finds(report: Report) -> None:
    found = case(report, "arith/test_beside.py::test_reads_beside_a_tensor")
    assert (found.outcome, found.reason) == ("failed", found.findings[0])
    assert found.reason.startswith("TL508: ")


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("test_right", "passed", ""),
        ("test_wrong", "failed", "AssertionError: one is not two"),
        ("test_hangs", "failed", "stopped after 10 s"),
        ("test_dies", "failed", "the process ended (exit code 7)"),
        ("test_after", "passed", ""),
        ("test_skipped", "cannot", "Skipped: no second device"),
    ],
)
def test_each_case_has_its_outcome(report: Report, name: str, outcome: str, reason: str) -> None:
    found = case(report, OTHERS + name)
    assert found.outcome == outcome
    assert found.reason.startswith(reason)


def test_a_file_that_cannot_be_read_is_one_failed_case(report: Report) -> None:
    found = case(report, "others/test_unreadable.py")
    assert found.outcome == "failed"
    assert "nowhere_at_all" in found.reason


def test_a_file_that_cannot_be_read_has_a_name_too(checkout: Path) -> None:
    with pytest.raises(TLError, match="TL717"):
        run_suite(Settings(suite="npuir", folder=checkout, only="no such name"))


def test_a_known_exclusion_gives_its_reason(report: Report) -> None:
    found = case(report, "dyn_shape_ops/test_composite_dynamic_shape.py")
    assert found.outcome == "cannot"
    assert found.reason == "tests TVM's private helpers, not the language"


def test_every_case_is_told_once_with_the_total(
    report: Report, told: list[tuple[str, int]]
) -> None:
    assert sorted(told) == sorted((case.name, len(report.cases)) for case in report.cases)
    assert not report.passed


def test_the_checkout_is_left_as_it_was(report: Report, checkout: Path, before: list[str]) -> None:
    assert report.cases
    assert sorted(map(str, checkout.rglob("*"))) == before


RACY = "arith_ops/test_tensor_insert_dev.py::test_insert[float32]"


@pytest.mark.parametrize(
    ("name", "findings", "outcome", "reason"),
    [
        pytest.param(RACY, ("TL523: two blocks",), "passed", "", id="explained"),
        pytest.param(RACY, ("TL523: a", "TL521: b"), "failed", "TL521: b", id="another code"),
        pytest.param("a/test_b.py::c", ("TL523: d",), "failed", "TL523: d", id="another case"),
        pytest.param("a/test_b.py::c", (), "passed", "", id="none"),
    ],
)
def test_a_finding_that_is_not_explained_fails_its_case(
    name: str, findings: tuple[str, ...], outcome: str, reason: str
) -> None:
    case = Case(folder="a", name=name, outcome="passed", findings=findings)
    found = judged(case, Settings(suite="npuir", folder=Path()))
    assert (found.outcome, found.reason, found.findings) == (outcome, reason, findings)


@pytest.mark.parametrize(
    ("execution", "backend", "outcome"),
    [
        ("simulator", "bishengir", "cannot"),
        ("simulator", "embedded", "failed"),
        ("functional", "bishengir", "failed"),
    ],
)
def test_an_exclusion_of_one_back_half_counts_for_that_one(
    execution: Execution, backend: Backend, outcome: str
) -> None:
    name = "norm_ops/test_fused_add_rms_norm_dev.py::test_fused[fp16-multi-fp32-add]"
    case = Case(folder="norm_ops", name=name, outcome="failed", reason="TL301: too large")
    settings = Settings(suite="npuir", folder=Path(), execution=execution, backend=backend)
    assert judged(case, settings).outcome == outcome


def test_every_explanation_stands_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "upstream.md").read_text(encoding="utf-8")
    rows = explanations()
    assert rows
    for row in rows:
        assert f"| {row.case.rstrip('*')} | {row.code} | {row.reason} |" in page


def test_the_cases_of_a_file_stay_in_one_batch() -> None:
    names = [f"a.py::{n}" for n in range(20)] + ["b.py::0", "c.py::0", "c.py::1"]
    found = batches(names, 1)
    assert [name for batch in found for name in batch] == names
    homes = {name: number for number, batch in enumerate(found) for name in batch}
    assert len({homes[name] for name in names if name.startswith("a.py")}) == 1
    assert homes["c.py::0"] == homes["c.py::1"]
    assert homes["b.py::0"] != homes["a.py::0"]
