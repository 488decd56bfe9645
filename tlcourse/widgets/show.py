"""`show_passes`, `show_timeline`, `show_memory` and the others: what a learner calls.

They take a kernel or a record. A kernel is known by what it can do: `.trace(backend)`,
`.block_map(..)`, and `.last_launch` with `.timeline` and `.memory`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from tlcourse.blocks import BlockMap
from tlcourse.diagnostics import SourceFile, SourceMap, TLError, error
from tlcourse.records import Backend, Finding, MemoryMap, PassTrace, Program, Timeline
from tlcourse.replay import Replay
from tlcourse.widgets.chip import ChipData, ChipView
from tlcourse.widgets.deadlock import DeadlockView
from tlcourse.widgets.exhibit import Exhibit, Track, exhibit
from tlcourse.widgets.findings import FindingsView
from tlcourse.widgets.grid_view import GridView
from tlcourse.widgets.labels import Language, spoken
from tlcourse.widgets.memory import MemoryView
from tlcourse.widgets.replay import ReplayView
from tlcourse.widgets.switches import Bench, Switchable, Traceable
from tlcourse.widgets.timeline import TimelineView

if TYPE_CHECKING:
    from tlcourse.widgets.passes import PassExplorer


def show_passes(
    kernel: PassTrace | Traceable,
    backend: Backend | None = None,
    language: Language | None = None,
    *,
    beside: Backend | PassTrace | Traceable | None = None,
    stored: PassTrace | None = None,
) -> PassExplorer:
    """Opens the pass explorer on a kernel.

    Args:
        kernel: a compiled kernel, whose switches can be set in the explorer, or the record of
            its passes.
        backend: `embedded` or `bishengir`; default: the kernel's own.
        language: `en` or `zh`, the words on screen; default: that of TLCOURSE_LANG.
        beside: a second compile to compare with: another back half of this kernel, another
            kernel, or a record.
        stored: the record that is shown, with the error, where the kernel does not compile.

    Raises:
        TL730: the object is neither a kernel nor a record.
        TL732: the notebook packages are not installed.
    """
    try:
        from tlcourse.widgets.passes import PassExplorer
    except ImportError as cause:
        raise _no_notebook_packages() from cause
    language = spoken(language)
    if not isinstance(cast(object, stored), PassTrace | None):
        raise _not_a_kernel("show_passes", stored)
    try:
        first = _track(kernel, backend)
        second = () if beside is None else (_beside(kernel, beside),)
    except TLError as problem:
        if stored is None or problem.code == "TL730":
            raise
        return PassExplorer(replace(exhibit(stored, language), failure=str(problem)))
    shown = Exhibit(tracks=(first, *second), language=language)
    if not isinstance(kernel, Switchable):
        return PassExplorer(shown)
    return PassExplorer(shown, bench=Bench(kernel=kernel, original=shown, backend=backend))


def _track(kernel: PassTrace | Traceable, backend: Backend | None) -> Track:
    """One compile, by the back half or by the name and mode of the kernel."""
    trace = kernel if isinstance(kernel, PassTrace) else _traced(kernel, backend)
    return Track(title=backend or f"{trace.kernel}, {trace.mode}", trace=trace)


def _beside(kernel: PassTrace | Traceable, other: Backend | PassTrace | Traceable) -> Track:
    return _track(kernel, other) if isinstance(other, str) else _track(other, None)


def show_timeline(
    kernel: object,
    other: object = None,
    *,
    block: int | None = None,
    language: Language | None = None,
) -> TimelineView:
    """Draws who worked when, and what each pipe waited for.

    Args:
        kernel: a kernel that was launched on the simulator, or a timeline record, as
            `kernel.profile(...)` gives it.
        other: a second one of either; both are drawn with one time axis, before and after.
        block: logical block whose core group is drawn; default: the first one.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor a record.
        TL731: the kernel was not launched on the simulator yet.
        TL733: the record has no such block.
    """
    shown = [kernel] if other is None else [kernel, other]
    timelines = [_timeline(one) for one in shown]
    for timeline in timelines:
        _check_block(timeline, block)
    sources = {key: text for one in shown for key, text in _sources(one).items()}
    second = timelines[1] if len(timelines) > 1 else None
    return TimelineView(timelines[0], block, spoken(language), second, sources)


def show_memory(kernel: object, language: Language | None = None) -> MemoryView:
    """Draws where the buffers of a kernel lie in on-chip memory, or which of them do not fit.

    Args:
        kernel: a kernel, which need not have been launched, or memory map records.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor records.
        TL731: it was not launched on the simulator, and has no program.
    """
    language = spoken(language)
    maps = _maps(kernel)
    if maps:
        return MemoryView(maps, language=language)
    maps = _maps(_of_last_launch("show_memory", kernel, "memory"))
    if not maps:
        if not isinstance(kernel, Planned):
            raise _not_launched("show_memory", kernel)
        maps = _planned(kernel)
    return MemoryView(maps, _name(kernel), language)


def _planned(kernel: Planned) -> tuple[MemoryMap, ...]:
    """The plan; where there is none, because tiles do not fit, those tiles."""
    try:
        return kernel.program("simulator").memory
    except TLError as problem:
        found = _maps(getattr(problem, "memory", None))
        if not found:
            raise
        return found


@runtime_checkable
class Planned(Protocol):
    """A kernel whose compiled program says where its buffers lie."""

    def program(self, execution: str | None = None, backend: str | None = None) -> Program:
        """The program for an executor."""
        ...


@runtime_checkable
class Placeable(Protocol):
    """A kernel that knows which block touches what."""

    def block_map(self, *tensors: object, chip: str | None = None) -> BlockMap:
        """The blocks of a launch."""
        ...


def show_grid(
    kernel: object,
    *tensors: object,
    block: int = 0,
    chip: str | None = None,
    language: Language | None = None,
) -> GridView:
    """Draws which block runs on which core, in which round, and the tiles that it touches.

    Args:
        kernel: a compiled kernel, or the record that `kernel.block_map(..)` gives.
        tensors: arguments or shapes, where the kernel leaves a size to the launch.
        block: the block that is shown first.
        chip: name of the chip; default: the kernel's own.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL473: a size is missing.
        TL730: the object is neither a kernel nor a record.
        TL733: there is no such block.

    Example:
        >>> show_grid(kernel, (4096, 64), chip="Ascend910B3")  # doctest: +SKIP
    """
    language = spoken(language)
    if isinstance(kernel, BlockMap):
        return GridView(kernel, block, language)
    if not isinstance(kernel, Placeable):
        raise _not_a_kernel("show_grid", kernel)
    return GridView(kernel.block_map(*tensors, chip=chip), block, language)


def show_chip(kernel: object, language: Language | None = None) -> ChipView:
    """Draws a chip on one page: memories, pipes and the paths between them.

    Args:
        kernel: a kernel, whose last launch lights the paths that it took; or a chip of
            `tlcourse.chips`.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor a chip.
    """
    language = spoken(language)
    if isinstance(kernel, ChipData):
        return ChipView(kernel, language=language)
    chip: object = getattr(getattr(kernel, "settings", None), "chip", None)
    if not isinstance(chip, ChipData):
        raise _not_a_kernel("show_chip", kernel)
    timeline = _timeline_if_any(kernel)
    return ChipView(chip, timeline, _name(kernel) if timeline else "", language)


def show_deadlock(kernel: object, language: Language | None = None) -> DeadlockView:
    """Draws who waits for whom in a launch that came to a standstill.

    Args:
        kernel: a kernel whose last launch stood still, or the finding itself.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor a finding.
        TL731: the kernel was not launched on the simulator yet.
        TL734: the launch did not stand still.
    """
    findings = (kernel,) if isinstance(kernel, Finding) else _findings("show_deadlock", kernel)
    for finding in findings:
        if finding.waits:
            return DeadlockView(finding, spoken(language))
    raise error(
        "TL734",
        "there is no deadlock to show",
        why="no pipe stood still: "
        + (", ".join(f.diagnostic.code for f in findings) or "no findings"),
        fix="look at the findings of the launch; show_timeline(kernel) shows where pipes wait",
    )


def show_findings(kernel: object, language: Language | None = None) -> FindingsView:
    """Shows what the simulator found in the last launch, with carets under the lines at fault.

    Args:
        kernel: a kernel that was launched on the simulator, or a finding.
        language: `en` or `zh`, the words around the findings; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor a finding.
        TL731: the kernel was not launched yet.
    """
    found = (kernel,) if isinstance(kernel, Finding) else _findings("show_findings", kernel)
    return FindingsView(found, _sources(kernel), spoken(language))


def show_replay(kernel: object, step: int = 0, language: Language | None = None) -> ReplayView:
    """Shows tiles and flags of a block before and after each of its instructions.

    Args:
        kernel: a kernel that was launched with `replay=BLOCK`, or the record.
        step: the instruction shown first, in the order of execution; negative ones count from
            the end.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL730: the object is neither a kernel nor a record.
        TL731: there is no launch with a replay, or it has no such step.
    """
    replay = kernel if isinstance(kernel, Replay) else None
    if replay is None:
        replay = _of_last_launch("show_replay", kernel, "replay")
    count = len(replay.steps) if isinstance(replay, Replay) else 0
    if not isinstance(replay, Replay) or step not in range(-count, count):
        raise error(
            "TL731",
            f"there is no step {step} to show" if count else "there is no replay to show",
            why=f"it has the steps 0 to {count - 1}"
            if count
            else f"no block of the last launch of {_name(kernel)} was written down",
            fix="launch with kernel.launch(.., replay=0), then show_replay(kernel, step=0)",
        )
    return ReplayView(replay, int(step % count), spoken(language), _sources(kernel))


def _timeline(kernel: object) -> Timeline:
    found = kernel
    if not isinstance(kernel, Timeline):
        found = _of_last_launch("show_timeline", kernel, "timeline")
    if not isinstance(found, Timeline):
        raise _not_launched("show_timeline", kernel)
    return found


def _check_block(timeline: Timeline, block: int | None) -> None:
    known = sorted({one.block for one in timeline.instructions})
    if block is None or block in known:
        return
    raise error(
        "TL733",
        f"the timeline cannot be drawn: it has no block {block}",
        why="it has the blocks that the simulator timed: "
        + ", ".join(map(str, known[:8]))
        + (f" to {known[-1]}" if len(known) > 8 else ""),
        fix="choose one of them, or leave block out",
    )


def _timeline_if_any(kernel: object) -> Timeline | None:
    """The timeline of the last launch, if that was one on the simulator."""
    if getattr(kernel, "last_launch", None) is None:
        return None
    try:
        found = _of_last_launch("show_chip", kernel, "timeline")
    except TLError:
        return None
    return found if isinstance(found, Timeline) else None


def _sources(kernel: object) -> SourceMap:
    """The texts that a kernel was read from; a record has none."""
    found: object = getattr(kernel, "sources", None)
    if not isinstance(found, dict):
        return {}
    texts = cast("dict[object, object]", found)
    return {str(key): one for key, one in texts.items() if isinstance(one, SourceFile)}


def _findings(function: str, kernel: object) -> tuple[Finding, ...]:
    found = _of_last_launch(function, kernel, "findings")
    if not isinstance(found, tuple) or (not found and _was_unchecked(kernel)):
        raise _not_launched(function, kernel)
    return tuple(one for one in cast(tuple[object, ...], found) if isinstance(one, Finding))


def _was_unchecked(kernel: object) -> bool:
    """Whether the functional executor ran the last launch: its silence says nothing."""
    return getattr(getattr(kernel, "last_launch", None), "timed", kernel) is None


def _traced(kernel: object, backend: Backend | None) -> PassTrace:
    if not isinstance(kernel, Traceable):
        raise _not_a_kernel("show_passes", kernel)
    return kernel.trace(backend)


def _maps(value: object) -> tuple[MemoryMap, ...]:
    if isinstance(value, MemoryMap):
        return (value,)
    if not isinstance(value, (tuple, list)):
        return ()
    items = tuple(cast(Iterable[object], value))
    maps = tuple(item for item in items if isinstance(item, MemoryMap))
    return maps if len(maps) == len(items) else ()


def _of_last_launch(function: str, kernel: object, part: str) -> object:
    if not hasattr(kernel, "last_launch"):
        raise _not_a_kernel(function, kernel)
    launch: object = getattr(kernel, "last_launch")
    return getattr(launch, part, None)


def _name(kernel: object) -> str:
    signature: object = getattr(kernel, "launch_signature", None)
    name: object = getattr(signature, "kernel", None) or getattr(kernel, "name", None)
    return name if isinstance(name, str) else "kernel"


def _not_a_kernel(function: str, value: object) -> TLError:
    return error(
        "TL730",
        f"{function} cannot show an object of type {type(value).__name__}",
        why="it draws a compiled kernel or one of its records",
        fix=f"pass the object that tilelang.compile or @tilelang.jit returns: {function}(kernel)",
    )


def _not_launched(function: str, kernel: object) -> TLError:
    name = _name(kernel)
    return error(
        "TL731",
        f"{name} has no launch on the simulator to show yet",
        why=f"{function} draws what the simulator recorded in the last launch of {name}",
        fix='call the kernel on the simulator first (execution="simulator"), '
        f"then {function} again",
    )


def _no_notebook_packages() -> TLError:
    return error(
        "TL732",
        "the pass explorer needs the notebook packages",
        why="anywidget is not installed in this Python",
        fix="pip install 'tlcourse[notebooks]', or write a page with "
        "`tlcourse ir FILE --html out.html`, which needs none",
    )
