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
from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Backend, MemoryMap, PassTrace, Timeline
from tlcourse.replay import Replay, ReplayStep
from tlcourse.widgets.chip import ChipView
from tlcourse.widgets.grid_view import GridView
from tlcourse.widgets.memory import MemoryView, peak_bytes
from tlcourse.widgets.show import (
    show_chip,
    show_findings,
    show_grid,
    show_memory,
    show_passes,
    show_replay,
    show_timeline,
)
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


def test_show_memory_before_the_first_launch(
    trace: PassTrace, memory: tuple[MemoryMap, ...]
) -> None:
    """The plan is known once the kernel is compiled."""

    class Compiled(Kernel):
        def program(self, execution: str | None = None, backend: str | None = None) -> Any:
            assert execution == "simulator"
            return SimpleNamespace(memory=memory)

    assert show_memory(Compiled(trace)) == MemoryView(memory, "minicv")
    nothing = Compiled(trace, SimpleNamespace(memory=()))
    assert show_memory(nothing) == MemoryView(memory, "minicv")


def test_show_memory_of_tiles_that_do_not_fit() -> None:
    """The kernel has no plan; what is alive together stands in the picture, past the limit."""
    chip = CHIPS["Ascend910B1"]
    kernel = compile_kernel(minicv_expert(512, 512, 64, 512, 512, 64), mode="Expert")
    with pytest.raises(TLError, match="TL301"):
        kernel.program("simulator")
    (found,) = show_memory(kernel).maps
    assert found.capacity_bytes == chip.sizes_bytes[found.space]
    assert peak_bytes(found) > found.capacity_bytes
    assert all(buffer.name for buffer in found.buffers)
    assert "past the limit" in show_memory(kernel).to_html()


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
    with pytest.raises(TLError, match=r"TL730.*cannot show an object of type int") as found:
        show(3)
    assert f"{show.__name__}(kernel)" in str(found.value)


@pytest.mark.parametrize("show", [show_timeline, show_memory])
@pytest.mark.parametrize("launch", [None, SimpleNamespace(timeline=None, memory=())])
def test_tl731_not_launched_yet(show: Any, launch: Any, trace: PassTrace) -> None:
    with pytest.raises(TLError, match=r"TL731.*minicv has no launch on the simulator to show"):
        show(Kernel(trace, launch))


def test_tl731_the_functional_executor_checks_no_rule(trace: PassTrace) -> None:
    kernel = Kernel(trace, SimpleNamespace(findings=(), timed=None))
    with pytest.raises(TLError, match=r"TL731.*minicv has no launch on the simulator"):
        show_findings(kernel)
    kernel.last_launch.timed = list
    assert show_findings(kernel).findings == ()


@pytest.mark.parametrize("step", [2, -3, "x", 0.5])
def test_tl731_no_such_step(step: Any, trace: PassTrace) -> None:
    steps = tuple(ReplayStep(index=k, agent="aiv0", op="load", pipe="MTE2") for k in range(2))
    replay = Replay(kernel="k", block=0, seed=0, steps=steps)
    with pytest.raises(TLError, match=rf"TL731.*no step {step} to show") as found:
        show_replay(replay, step)
    assert "it has the steps 0 to 1" in str(found.value)
    with pytest.raises(TLError, match=r"TL731.*there is no replay to show"):
        show_replay(Kernel(trace, SimpleNamespace(replay=None)))


@pytest.mark.parametrize("block", [7, -1, "x"])
def test_tl733_no_such_block_in_the_timeline(block: Any, timeline: Timeline) -> None:
    with pytest.raises(TLError, match=rf"TL733.*no block {block}") as found:
        show_timeline(timeline, block=block)
    assert "timed: 0, 1" in str(found.value)


def test_the_language_is_that_of_the_environment(
    memory: tuple[MemoryMap, ...], timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_LANG", "zh")
    assert show_memory(memory).language == "zh"
    assert show_timeline(timeline).language == "zh"
    assert show_memory(memory, "en").language == "en"


@pytest.mark.parametrize("show", [show_passes, show_timeline, show_memory, show_chip])
def test_tl424_a_language_without_words(
    show: Any, trace: PassTrace, timeline: Timeline, memory: tuple[MemoryMap, ...]
) -> None:
    shown = {
        show_passes: trace,
        show_timeline: timeline,
        show_memory: memory,
        show_chip: CHIPS["Ascend910B1"],
    }
    with pytest.raises(TLError, match=r"TL424.*language = 'fr' is not known"):
        show(shown[show], language="fr")


def test_tl730_a_stored_record_that_is_none(trace: PassTrace) -> None:
    wrong: Any = 3
    with pytest.raises(TLError, match=r"TL730.*type int"):
        show_passes(Kernel(trace), stored=wrong)


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
