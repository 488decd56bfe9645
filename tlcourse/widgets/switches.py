"""The switch-board of the pass explorer: a kernel compiled again with other switches."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self, runtime_checkable

from tlcourse.diagnostics import TLError
from tlcourse.live import PassMeasure, SwitchState
from tlcourse.records import Backend, PassTrace
from tlcourse.widgets.exhibit import Exhibit, SwitchPairs, Track
from tlcourse.widgets.labels import Language, label


@runtime_checkable
class Traceable(Protocol):
    """A compiled kernel: its compile can be traced, its last launch is kept."""

    @property
    def last_launch(self) -> object:
        """What the last launch recorded, None before the first."""
        ...

    def trace(self, backend: Backend | None = None) -> PassTrace:
        """The IR after each pass of one back half."""
        ...


@runtime_checkable
class Switchable(Traceable, Protocol):
    """A kernel that can be compiled again with other switches, and whose passes are measured."""

    def switches(self, backend: Backend | None = None) -> tuple[SwitchState, ...]:
        """The switches and the values that it is compiled with."""
        ...

    def with_switches(self, configs: Mapping[str, object]) -> Self:
        """The same kernel with other values of some switches."""
        ...

    def measure_passes(
        self, backend: Backend | None = None, *, numbers: bool = False
    ) -> tuple[PassMeasure, ...]:
        """Time of each pass, and what it does to the numbers, in the order of the passes."""
        ...


# By key of pass_configs: what the switch does, in English and in Chinese.
_MEANINGS: dict[str, tuple[str, str]] = {
    "npuir.enable_auto_multi_buffer": (
        "a second copy of buffers that a loop refills",
        "循环反复填充的缓冲再备一份",
    ),
    "npuir.disable_hivm_auto_inject_sync": (
        "no flags between the pipes of a core: you set them",
        "不在核内流水线之间插入标志：由你设置",
    ),
    "npuir.enable_hivm_graph_sync_solver": (
        "the newer pass places the flags inside a core",
        "由较新的 pass 安排核内标志",
    ),
    "npuir.disable_auto_inject_block_sync": (
        "no flags between cube and vector cores: you set them",
        "不在 cube 核与 vector 核之间插入标志：由你设置",
    ),
    "npuir.enable_auto_bind_sub_block": (
        "both vector cores share the vector work",
        "两个 vector 核分担向量工作",
    ),
    "npuir.limit_auto_multi_buffer_only_for_local_buffer": (
        "one trip at a time: cube and vector cores do not overlap",
        "每次一轮：cube 核与 vector 核不重叠",
    ),
    "npuir.set_workspace_multibuffer": (
        "copies of a tile that the cores hand over in",
        "核间交接数据块的份数",
    ),
    "npuir.enable_auto_blockify_loop": (
        "one block a core, which does the work of several",
        "每核一个逻辑块，承担多个块的工作",
    ),
    "npuir.tile_mix_cube_loop": (
        "parts that a cube loop is cut into",
        "cube 循环切成的份数",
    ),
    "npuir.tile_mix_vector_loop": (
        "parts that a vector loop is cut into",
        "vector 循环切成的份数",
    ),
    "npuir.enable_hivm_unit_flag_sync": (
        "mmadL1 and fixpipe hand over without an event",
        "mmadL1 与 fixpipe 不用事件即可交接",
    ),
    "npuir.enable_hivm_inject_barrier_all_sync": (
        "a barrier before each op instead of flags: slow and right",
        "每个算子前用屏障代替标志：慢但正确",
    ),
    "tl.enable_plan_and_update_buffer_allocation": (
        "each buffer moves to the innermost place that holds its uses",
        "每个缓冲移到包含其全部使用的最内层",
    ),
}


def meaning(config: str, language: Language) -> str:
    """What a switch does, in a few words; empty for one that has none here."""
    return _MEANINGS.get(config, ("", ""))[language == "zh"]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A kernel whose switches are tried.

    Args:
        kernel: the kernel; it is never changed.
        original: what is shown before a switch is touched.
        backend: the back half that compiles; None takes the kernel's own.
    """

    kernel: Switchable
    original: Exhibit
    backend: Backend | None = None

    @cached_property
    def start(self) -> Exhibit:
        """The original with its switches."""
        states = self.kernel.switches(self.backend)
        return replace(self.original, switches=tuple((one, one) for one in states))

    def tried(self, wanted: Mapping[str, str], shown: Exhibit) -> Exhibit:
        """The original beside a compile with other switches.

        Args:
            wanted: keys of `pass_configs` and the values that are wanted.
            shown: what stays on screen where the compile fails.
        """
        first = replace(shown.tracks[0], title=self.original.tracks[0].title)
        asked = self._asked(wanted)
        changes = _changes(asked)
        if not changes:
            return replace(self.start, tracks=(first, *self.original.tracks[1:]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                trace = self.kernel.with_switches(changes).trace(self.backend)
            except TLError as problem:
                return replace(shown, switches=asked, failure=str(problem), notes=())
        title = label("original", self.original.language)
        return Exhibit(
            tracks=(replace(first, title=title), Track(title=_written(asked), trace=trace)),
            language=self.original.language,
            switches=asked,
            first_shown=1,
            notes=tuple(dict.fromkeys(str(one.message) for one in caught)),
        )

    def measured(self, shown: Exhibit, track: int, *, numbers: bool) -> Exhibit:
        """The same with time, and numbers if wanted, of the passes of one compile of the kernel."""
        is_other = track > 0 and not _changes(shown.switches)
        if is_other:  # another kernel or back half stands beside this one
            return replace(shown, notes=(label("not_measured", shown.language),))
        kernel = self.kernel.with_switches(_changes(shown.switches)) if track else self.kernel
        try:
            measures = kernel.measure_passes(self.backend, numbers=numbers)
        except TLError as problem:
            return replace(shown, failure=str(problem), notes=())
        if not measures:
            return replace(shown, notes=(label("not_measured", shown.language),))
        tracks = list(shown.tracks)
        tracks[track] = replace(tracks[track], measures=measures)
        return replace(shown, tracks=tuple(tracks), first_shown=track, failure="", notes=())

    def _asked(self, wanted: Mapping[str, str]) -> SwitchPairs:
        states = [one for one, _ in self.start.switches]
        return tuple((one, replace(one, value=wanted.get(one.config, one.value))) for one in states)


def _changes(asked: SwitchPairs) -> dict[str, str]:
    return {now.config: now.value for one, now in asked if one != now}


def _written(asked: SwitchPairs) -> str:
    return ", ".join(f"{now.name}={now.value}" for one, now in asked if one != now)
