"""`tlcourse bench widgets`: size, export, opening and steps of the pass explorer."""

from __future__ import annotations

import importlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tlcourse.bench.devkit_peer import devkit_page, require
from tlcourse.bench.made_ir import made_trace
from tlcourse.bench.pages import Opening, chromium, opening
from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import exhibit
from tlcourse.widgets.explorer import explorer_state, export_html, viewer_script
from tlcourse.widgets.lines import split_places

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tlcourse.language import PrimFunc

MOST_SCRIPT_BYTES = 40_000
_REPEATS = 3
_PEER_STEPS = 30  # a step through its largest pages takes seconds


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that a page may take; None where nothing is asked.

    Args:
        python_seconds: differences of all passes and the state, in Python.
        state_bytes: what a notebook keeps of it.
        open_seconds: until the page can be read.
        step_ms: the slowest step from pass to pass.
    """

    python_seconds: float
    state_bytes: int | None
    open_seconds: float
    step_ms: float


USUAL = Budget(python_seconds=1.0, state_bytes=60_000, open_seconds=1.0, step_ms=50.0)
LARGE = Budget(python_seconds=2.0, state_bytes=None, open_seconds=1.0, step_ms=200.0)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A trace to measure: its name, how to get it, and the most that its page may take."""

    name: str
    trace: Callable[[], PassTrace]
    budget: Budget = USUAL


@dataclass(frozen=True, kw_only=True)
class PeerPage:
    """The page that tilelang-devkit makes of the same passes: one walk through the first ones."""

    python_seconds: float
    page_bytes: int
    opening: Opening


@dataclass(frozen=True, kw_only=True)
class Explored:
    """One trace in the explorer.

    Args:
        name: what was compiled.
        passes: how many ran.
        changed: how many changed the IR.
        lines: of the longest text.
        python_seconds: processor time of differences and state, the median of three.
        state_bytes: of what a notebook keeps.
        export_seconds: processor time of the same and of writing the page.
        page_bytes: of the exported page.
        opening: how it opens and steps.
        budget: the most that all this may take.
        peer: the peer's page of the same passes, None without peers.
        met: whether it takes no more, asks for nothing and complains of nothing.
    """

    name: str
    passes: int
    changed: int
    lines: int
    python_seconds: float
    state_bytes: int
    export_seconds: float
    page_bytes: int
    opening: Opening
    budget: Budget
    peer: PeerPage | None
    met: bool


@dataclass(frozen=True, kw_only=True)
class WidgetsReport:
    """All traces, the script of the explorer, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    script_bytes: int
    most_script_bytes: int
    measured: tuple[Explored, ...]

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        small = self.script_bytes <= self.most_script_bytes
        return small and all(one.met for one in self.measured)


def subjects() -> Iterator[Subject]:
    """FlashAttention through both back halves, and made-up traces at the size of the budgets."""
    from tlcourse.bishengir import find_tool

    yield Subject(name="FlashAttention, embedded", trace=lambda: _attention("embedded"))
    if find_tool() is not None:
        yield Subject(name="FlashAttention, real compiler", trace=lambda: _attention("bishengir"))
    for every in (5, 1):
        yield Subject(
            name=f"150 passes of 500 lines, {'each' if every == 1 else 'one in five'} changes them",
            trace=lambda every=every: made_trace(ops=60, passes=150, every=every, changes=12),
        )
    yield Subject(
        name="20 passes of 3,000 lines, each changes them",
        trace=lambda: made_trace(ops=372, passes=20, every=1, changes=60),
        budget=LARGE,
    )


def script_bytes() -> int:
    """Size of the explorer's script."""
    return len(viewer_script().encode())


def measure_widgets(browser_path: str | None, *, peers: bool) -> Iterator[Explored]:
    """Measures the traces one after another.

    Args:
        browser_path: where chromium is, None where there is none.
        peers: whether tilelang-devkit makes a page of the same passes.

    Raises:
        TL770: peers are wanted, and tilelang-devkit is not installed.
        TL772: there is no chromium, or no Playwright to drive it.
    """
    if peers:
        require()
    with chromium(browser_path) as browser, tempfile.TemporaryDirectory() as folder:
        for subject in subjects():
            yield _explored(browser, subject, Path(folder), peers=peers)


def _explored(browser: Browser, subject: Subject, folder: Path, *, peers: bool) -> Explored:
    trace, budget, path = subject.trace(), subject.budget, folder / "passes.html"
    seconds, state = (
        _seconds(lambda: explorer_state(exhibit(trace))),
        explorer_state(exhibit(trace)),
    )
    export_seconds = _seconds(lambda: export_html(trace, path))
    statuses = [one.status for one in trace.snapshots[1:]]
    changed = statuses.count("changed")
    opened = opening(browser, path, row=".tl-row", target=".tl-passes", steps=changed)
    within = (
        seconds <= budget.python_seconds
        and (budget.state_bytes is None or len(state) <= budget.state_bytes)
        and opened.seconds <= budget.open_seconds
        and opened.worst_step_ms <= budget.step_ms
    )
    return Explored(
        name=subject.name,
        passes=len(statuses),
        changed=changed,
        lines=max(len(split_places(text)[0].splitlines()) for text in trace.texts.values()),
        python_seconds=seconds,
        state_bytes=len(state),
        export_seconds=export_seconds,
        page_bytes=path.stat().st_size,
        opening=opened,
        budget=budget,
        peer=_peer(browser, trace, folder) if peers else None,
        met=within and not opened.faults,
    )


def _peer(browser: Browser, trace: PassTrace, folder: Path) -> PeerPage:
    path, seconds = devkit_page(trace, folder)
    steps = min(len(trace.snapshots) - 1, _PEER_STEPS)
    opened = opening(browser, path, row=".pass-section", target="body", steps=steps, walks=1)
    size = path.stat().st_size
    return PeerPage(python_seconds=round(seconds, 2), page_bytes=size, opening=opened)


def _seconds(run: Callable[[], object]) -> float:
    """The median processor time, which other work on the machine does not lengthen."""
    times: list[float] = []
    for _ in range(_REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return round(statistics.median(times), 3)


def _attention(backend: str) -> PassTrace:
    from tlcourse.jit import compile

    example = importlib.import_module("tlcourse.examples.flash_attention")
    func: PrimFunc = example.flash_attention(8, 1024, 64, 64, 64)
    return compile(func, mode="Developer").trace(backend)
