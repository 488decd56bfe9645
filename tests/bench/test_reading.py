from __future__ import annotations

import pytest

from tlcourse.bench import reading
from tlcourse.bench.reading import Count
from tlcourse.bishengir.read_back import ReadBack
from tlcourse.conformance import Case, Report, Settings
from tlcourse.examples.course import COURSE
from tlcourse.pipeline import compile_module


@pytest.mark.bishengir
def test_what_comes_back_as_another_module_is_not_counted(bishengir_opt, monkeypatch):
    monkeypatch.setattr("tlcourse.bench.reading.COURSE", COURSE[:2])
    assert reading.of_course() == Count(passed=2, total=2)
    other = ReadBack(unknown=(), pretty=False, generic=True)
    monkeypatch.setattr("tlcourse.bench.reading.read_back", lambda text: other)
    assert str(reading.of_course()) == "0 of 2"


@pytest.mark.bishengir
def test_modules_of_a_folder_are_counted(bishengir_opt, tmp_path):
    kernel = COURSE[0]
    done = compile_module(kernel.func.module, kernel.func.sources, mode=kernel.mode)
    (tmp_path / "one.mlir").write_text(str(done.mlir), encoding="utf-8")
    assert reading.of_folder(tmp_path) == Count(passed=1, total=1)


def test_of_upstream_only_what_compiles_can_come_back(monkeypatch, tmp_path):
    def case(name: str, **steps: bool) -> Case:
        told = {
            key.replace("_", " ").replace("upstreams", "upstream's"): value
            for key, value in steps.items()
        }
        return Case(folder="", name=name, outcome="passed", reason="", seconds=0.0, steps=told)

    cases = [
        case("a", compiled=True, read_back=True, upstreams_compiled=True, upstreams_read_back=True),
        case("b", compiled=True, read_back=False, upstreams_compiled=False),
        case("c", upstreams_compiled=True, upstreams_read_back=True),
    ]
    asked: list[Settings] = []

    def run_suite(settings: Settings) -> Report:
        asked.append(settings)
        return Report(
            suite="goldens",
            execution="functional",
            backend="embedded",
            seconds=0.0,
            cases=tuple(cases),
        )

    monkeypatch.setattr("tlcourse.bench.reading.run_suite", run_suite)
    ours, theirs = reading.of_upstream(tmp_path)
    assert (str(ours), str(theirs)) == ("1 of 2", "2 of 2")
    assert (asked[0].suite, asked[0].folder) == ("goldens", tmp_path)
