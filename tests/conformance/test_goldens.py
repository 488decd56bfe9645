"""Suite goldens on a small checkout, with the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.bishengir.read_back import ReadBack
from tlcourse.conformance import Settings
from tlcourse.conformance.goldens import judge
from tlcourse.diagnostics import TLError

pytestmark = pytest.mark.bishengir


def judged(checkout: Path, name: str):
    settings = Settings(suite="goldens", folder=checkout)
    return judge(settings, checkout / "unittest" / "npuir" / name)


def test_a_source_whose_module_compiles_passes(checkout: Path) -> None:
    case = judged(checkout, "test_fits.py")
    assert (case.outcome, case.reason) == ("passed", "")
    assert case.steps == {
        "generated": True,
        "verified": True,
        "compiled": True,
        "read back": True,
        "upstream's compiled": True,
        "upstream's read back": True,
    }


def test_a_source_that_we_cannot_read_fails_with_its_code(checkout: Path) -> None:
    case = judged(checkout, "test_lacks.py")
    assert case.outcome == "failed"
    assert case.reason.startswith("TL105: ")
    assert not case.steps["generated"]


def test_what_comes_back_as_another_module_fails(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    different = ReadBack(unknown=(), pretty=False, generic=True)
    monkeypatch.setattr("tlcourse.conformance.goldens.read_back", lambda *_, **__: different)
    case = judged(checkout, "test_fits.py")
    assert (case.outcome, case.reason) == ("failed", "comes back as another module")
    assert case.steps["compiled"]
    assert not case.steps["read back"]


def test_an_op_without_a_dialect_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = ReadBack(unknown=("hivm.hir.vnew",), pretty=True, generic=True)
    monkeypatch.setattr("tlcourse.conformance.goldens.read_back", lambda *_, **__: unknown)
    assert "no dialect defines: hivm.hir.vnew" in judged(checkout, "test_fits.py").reason


def test_without_the_compiler_nothing_is_judged(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tlcourse.conformance import run_suite

    monkeypatch.setenv("TLCOURSE_BISHENGIR_OPT", "/nowhere/bishengir-opt")
    with pytest.raises(TLError, match="TL350"):
        run_suite(Settings(suite="goldens", folder=checkout))
