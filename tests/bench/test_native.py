"""The measurement of native code: which contenders run, what a budget says, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tlcourse.bench import native
from tlcourse.bench.loading import Loading
from tlcourse.bench.timing import Run
from tlcourse.diagnostics import TLError
from tlcourse.functional import compiled
from tlcourse.records import to_json

needs_compiler = pytest.mark.skipif(
    compiled.find_compiler() is None, reason="no C compiler on this machine"
)

LOADING = Loading(
    kernels=10,
    milliseconds=15.0,
    first_compile_milliseconds=1500.0,
    compiler_modules=(),
    met=True,
)


@needs_compiler
def test_rows_have_the_contenders_and_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def once(contenders: Mapping[str, Run], *, seconds: float, rounds: int) -> dict[str, float]:
        for run in contenders.values():
            run()
        seen.append(list(contenders))
        return {name: 1.0 + index for index, name in enumerate(contenders)}

    monkeypatch.setattr(native, "interleaved", once)
    rows = list(native.measure_native(peers=True, seconds=0))
    assert [row.threads for row in rows] == [1] * 4 + [2] * 4
    assert [len(names) for names in seen] == [3, 3, 2, 2] * 2
    assert {row.times_eager for row in rows} == {0.5}
    assert [row.times_fused for row in rows[:4]] == [0.333, 0.333, None, None]
    report = native.NativeReport(machine={}, versions={}, measured=tuple(rows), loading=LOADING)
    assert report.met
    assert not replace(report, loading=replace(LOADING, met=False)).met
    assert '"times_eager":0.5' in to_json(report)


@needs_compiler
def test_a_slower_time_misses_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(contenders: Mapping[str, Run], *, seconds: float, rounds: int) -> dict[str, float]:
        return {name: 2.0 - index / 2 for index, name in enumerate(contenders)}

    monkeypatch.setattr(native, "interleaved", slow)
    assert not next(native.measure_native(peers=False, seconds=0)).met


def test_without_a_compiler_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "find_compiler", lambda: None)
    compiled._built.cache_clear()
    monkeypatch.setenv("TILELANG_CACHE_DIR", "/nonexistent")
    with pytest.raises(TLError, match="TL775"):
        next(native.measure_native(peers=False, seconds=0))
    compiled._built.cache_clear()
