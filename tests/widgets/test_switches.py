from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tlcourse.diagnostics import error
from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit import compile as compile_kernel
from tlcourse.live import PassMeasure, SwitchState
from tlcourse.pipeline.options import SWITCHES
from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import Exhibit, exhibit
from tlcourse.widgets.switches import Bench, Switchable, meaning

STATES = (
    SwitchState(name="fast", config="npuir.fast", value="true", usual="true"),
    SwitchState(name="copies", config="npuir.copies", value="2", usual="4", is_followed=False),
)


class Kernel:
    """A kernel whose pass `p` follows its switches."""

    last_launch = None

    def __init__(self, make_trace: Callable[..., PassTrace], configs: Mapping[str, object]) -> None:
        self.make_trace = make_trace
        self.configs = configs

    def trace(self, backend: Any = None) -> PassTrace:
        if self.configs.get("npuir.copies") == "9":
            raise error("TL301", "9 copies do not fit", why="UB holds 4", fix="ask for 4")
        if self.configs.get("npuir.copies") == "3":
            warnings.warn("3 is odd", stacklevel=1)
        return self.make_trace(
            ("tir", "input", "changed", "a.x"), ("tir", "p", "changed", f"a.y {self.configs}")
        )

    def switches(self, backend: Any = None) -> tuple[SwitchState, ...]:
        return STATES

    def measure_passes(self, backend: Any = None, *, numbers: bool = False) -> Any:
        if backend == "bishengir":
            return ()
        kept = "same" if numbers else ""
        return (PassMeasure(pass_name="p", seconds=0.5, numbers=kept),)

    def with_switches(self, configs: Mapping[str, object]) -> Kernel:
        return Kernel(self.make_trace, {**self.configs, **configs})


@pytest.fixture
def bench(make_trace: Callable[..., PassTrace]) -> Bench:
    kernel = Kernel(make_trace, {})
    assert isinstance(kernel, Switchable)
    return Bench(kernel=kernel, original=exhibit(kernel.trace()))


def values(shown: Exhibit) -> list[str]:
    return [now.value for _, now in shown.switches]


def test_start_is_the_original_with_its_switches(bench: Bench) -> None:
    assert bench.start.tracks == bench.original.tracks
    assert values(bench.start) == ["true", "2"]


def test_a_switch_gives_a_second_compile_beside_the_original(bench: Bench) -> None:
    tried = bench.tried({"npuir.fast": "false", "npuir.copies": "2"}, bench.start)
    assert values(tried) == ["false", "2"]
    assert [track.title for track in tried.tracks] == ["original", "fast=false"]
    assert tried.trace == bench.original.trace
    assert "'npuir.fast': 'false'" in list(tried.tracks[1].trace.texts.values())[1]
    assert [len(pair.rows) for pair in tried.pairs] == [0, 1]
    assert tried.failure == ""


def test_what_is_wanted_starts_from_the_original(bench: Bench) -> None:
    first = bench.tried({"npuir.fast": "false"}, bench.start)
    second = bench.tried({"npuir.copies": "4"}, first)
    assert second.tracks[1].title == "copies=4"
    assert "fast" not in list(second.tracks[1].trace.texts.values())[1]


def test_the_original_values_compile_nothing(bench: Bench) -> None:
    tried = bench.tried({"npuir.fast": "false"}, bench.start)
    assert bench.tried({"npuir.fast": "true", "npuir.copies": "2"}, tried) == bench.start
    assert bench.tried({}, tried) == bench.start


def test_a_failed_compile_keeps_what_is_shown(bench: Bench) -> None:
    shown = bench.tried({"npuir.fast": "false"}, bench.start)
    failed = bench.tried({"npuir.copies": "9"}, shown)
    assert failed.tracks == shown.tracks
    assert values(failed) == ["true", "9"]
    assert failed.failure == (
        "error[TL301]: 9 copies do not fit\n  = why: UB holds 4\n  = fix: ask for 4\n"
        "  = see: docs/errors.md#TL301"
    )
    assert bench.tried({"npuir.copies": "4"}, failed).failure == ""


def test_warnings_are_shown_and_not_raised(bench: Bench) -> None:
    assert bench.tried({"npuir.copies": "3"}, bench.start).notes == ("3 is odd",)


def test_titles_in_the_language_of_the_exhibit(bench: Bench) -> None:
    chinese = replace(bench, original=replace(bench.original, language="zh"))
    assert chinese.tried({"npuir.fast": "false"}, chinese.start).tracks[0].title == "原始"


def test_measures_belong_to_the_compile_on_screen_and_stay(bench: Bench) -> None:
    shown = bench.measured(bench.start, 0, numbers=False)
    assert shown.tracks[0].measures == (PassMeasure(pass_name="p", seconds=0.5),)
    tried = bench.tried({"npuir.fast": "false"}, shown)
    assert tried.tracks[0].measures == shown.tracks[0].measures
    assert tried.tracks[1].measures == ()
    both = bench.measured(tried, 1, numbers=True)
    assert both.tracks[1].measures[0].numbers == "same"
    assert both.first_shown == 1
    assert bench.tried({}, both).tracks == shown.tracks


def test_what_cannot_be_measured_says_so(bench: Bench) -> None:
    real = replace(bench, backend="bishengir")
    words = "Only embedded passes of this kernel can be measured."
    assert real.measured(real.start, 0, numbers=True).notes == (words,)
    pair = replace(bench, original=replace(bench.original, tracks=bench.original.tracks * 2))
    assert pair.measured(pair.start, 1, numbers=False).notes == (words,)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.option)
def test_every_switch_says_what_it_does(switch: Any) -> None:
    english, chinese = meaning(switch.config, "en"), meaning(switch.config, "zh")
    assert english
    assert chinese
    assert english != chinese


def test_a_real_kernel_is_compiled_again() -> None:
    kernel = compile_kernel(minicv_developer(128, 128, 64, 64, 64, 64), mode="Developer")
    bench = Bench(kernel=kernel, original=exhibit(kernel.trace()))
    off = {"npuir.disable_hivm_auto_inject_sync": "true"}
    tried = bench.tried(off, bench.start)
    names = [[one.pass_name for one in track.trace.snapshots] for track in tried.tracks]
    assert "hivm-graph-sync-solver" in names[0]
    assert "hivm-graph-sync-solver" not in names[1]
    # The stamp of the switches is no difference: the two part at the pass that is left out.
    parted = next(pair for pair in tried.pairs if pair.rows or -1 in (pair.first, pair.second))
    assert names[0][parted.first] == "hivm-graph-sync-solver"
    failed = bench.tried({"npuir.set_workspace_multibuffer": "0"}, tried)
    assert "TL431" in failed.failure
    assert failed.tracks == tried.tracks
