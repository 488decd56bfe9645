from __future__ import annotations

import builtins
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tlcourse.blocks import BlockMap, Slots
from tlcourse.chips import CHIPS
from tlcourse.diagnostics import TLError, error
from tlcourse.records import Backend, MemoryMap, PassTrace, Timeline
from tlcourse.widgets.chip import ChipView
from tlcourse.widgets.grid_view import GridView
from tlcourse.widgets.memory import MemoryView
from tlcourse.widgets.show import show_chip, show_grid, show_memory, show_passes, show_timeline
from tlcourse.widgets.timeline import TimelineView


class Kernel:
    """What the functions need of a kernel."""

    def __init__(self, trace: PassTrace, launch: Any = None) -> None:
        self._trace = trace
        self.asked: list[Backend | None] = []
        self.last_launch = launch
        self.launch_signature = SimpleNamespace(kernel="minicv")

    def trace(self, backend: Backend | None = None) -> PassTrace:
        self.asked.append(backend)
        return self._trace


def test_show_passes_of_a_kernel_and_of_a_record(trace: PassTrace) -> None:
    pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")
    kernel = Kernel(trace)
    assert show_passes(kernel, "bishengir").trace is trace
    assert kernel.asked == ["bishengir"]
    assert show_passes(trace, language="zh").shown.language == "zh"


def test_show_passes_of_two_compiles(trace: PassTrace) -> None:
    pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")
    kernel, other = Kernel(trace), Kernel(replace(trace, kernel="k2"))

    def titles(shown: Any) -> list[str]:
        return [track.title for track in shown.shown.tracks]

    assert titles(show_passes(kernel, "embedded", beside="bishengir")) == ["embedded", "bishengir"]
    assert kernel.asked == ["embedded", "bishengir"]
    assert titles(show_passes(kernel, beside=other)) == ["k, Expert", "k2, Expert"]
    assert titles(show_passes(trace, beside=trace)) == ["k, Expert", "k, Expert"]
    with pytest.raises(TLError, match="TL730"):
        show_passes(kernel, beside=3)


def test_stored_record_stands_in_for_a_compile_that_fails(trace: PassTrace) -> None:
    pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")

    class Failing(Kernel):
        def trace(self, backend: Backend | None = None) -> PassTrace:
            raise error("TL350", "no real compiler", why="it is not installed", fix="install it")

    kernel = Failing(trace)
    with pytest.raises(TLError, match="TL350"):
        show_passes(kernel)
    shown = show_passes(kernel, stored=trace).shown
    assert shown.trace is trace
    assert shown.failure.startswith("error[TL350]: no real compiler")
    with pytest.raises(TLError, match="TL730"):
        show_passes(3, stored=trace)


def test_show_timeline_of_a_kernel_and_of_a_record(trace: PassTrace, timeline: Timeline) -> None:
    kernel = Kernel(trace, SimpleNamespace(timeline=timeline, memory=()))
    assert show_timeline(kernel) == TimelineView(timeline)
    assert show_timeline(timeline, block=1, language="zh") == TimelineView(timeline, 1, "zh")


def test_show_memory_of_a_kernel_and_of_records(
    trace: PassTrace, memory: tuple[MemoryMap, ...]
) -> None:
    kernel = Kernel(trace, SimpleNamespace(timeline=None, memory=memory))
    assert show_memory(kernel) == MemoryView(memory, "minicv")
    assert show_memory(list(memory)) == MemoryView(memory)
    assert show_memory(memory[0]) == MemoryView(memory[:1])


def test_show_grid_of_a_kernel_and_of_a_record(trace: PassTrace) -> None:
    found = BlockMap(
        kernel="k", kind="mix", blocks=3, chips=(Slots(chip="c", count=2),), tensors=()
    )

    class Placed(Kernel):
        def block_map(self, *tensors: object, chip: str | None = None) -> BlockMap:
            return replace(found, blocks=len(tensors), kernel=chip or "own")

    assert show_grid(found, block=2, language="zh") == GridView(found, 2, "zh")
    assert show_grid(Placed(trace), (4,), (4,), chip="c2").map == replace(
        found, blocks=2, kernel="c2"
    )


def test_show_chip_of_a_chip_and_of_a_kernel(trace: PassTrace, timeline: Timeline) -> None:
    chip = CHIPS["Ascend910B3"]
    assert show_chip(chip, "zh") == ChipView(chip, language="zh")
    kernel = Kernel(trace)
    kernel.settings = SimpleNamespace(chip=chip)  # type: ignore[attr-defined]
    assert show_chip(kernel) == ChipView(chip)
    kernel.last_launch = SimpleNamespace(timeline=timeline)
    assert show_chip(kernel) == ChipView(chip, timeline, "minicv")


def test_show_chip_of_a_launch_without_a_timeline(trace: PassTrace) -> None:
    class Functional:
        @property
        def timeline(self) -> Timeline:
            raise error("TL427", "none", why="no cycles", fix="use the simulator")

    kernel = Kernel(trace, Functional())
    kernel.settings = SimpleNamespace(chip=CHIPS["Ascend910B1"])  # type: ignore[attr-defined]
    assert show_chip(kernel) == ChipView(CHIPS["Ascend910B1"])


@pytest.mark.parametrize("show", [show_passes, show_timeline, show_memory, show_grid, show_chip])
def test_tl730_not_a_kernel(show: Any) -> None:
    with pytest.raises(TLError, match=r"TL730.*cannot show a int") as found:
        show(3)
    assert f"{show.__name__}(kernel)" in str(found.value)


@pytest.mark.parametrize("show", [show_timeline, show_memory])
@pytest.mark.parametrize("launch", [None, SimpleNamespace(timeline=None, memory=())])
def test_tl731_not_launched_yet(show: Any, launch: Any, trace: PassTrace) -> None:
    with pytest.raises(TLError, match=r"TL731.*minicv has no launch to show yet"):
        show(Kernel(trace, launch))


def test_tl732_without_the_notebook_packages(
    trace: PassTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_anywidget(name: str, *rest: Any, **more: Any) -> Any:
        if name == "anywidget":
            raise ModuleNotFoundError("No module named 'anywidget'")
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "tlcourse.widgets.passes", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_anywidget)
    with pytest.raises(TLError, match=r"TL732.*needs the notebook packages"):
        show_passes(trace)
