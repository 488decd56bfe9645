"""The pass explorer: step through the IR of a kernel, pass by pass, with the arrow keys."""

from __future__ import annotations

import html
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import anywidget
import traitlets

from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import Exhibit, exhibit
from tlcourse.widgets.explorer import explorer_state, export_html, viewer_script
from tlcourse.widgets.labels import Language
from tlcourse.widgets.steps import summary
from tlcourse.widgets.switches import Bench
from tlcourse.widgets.twin import twin_html

_FOLDER = Path(__file__).parent


class PassExplorer(anywidget.AnyWidget):
    """Shows what each compiler pass did to a kernel.

    Args:
        shown: the passes of one compile, or of two side by side.
        language: `en` or `zh`, the words on screen, where `shown` is one compile.
        bench: what compiles the kernel again when a switch is set; without it none can be.

    Traits:
        data: everything shown, as JSON, gzip, base64.
        index: number of the pass shown; -1 until the viewer chose the first changed one.
        track: which of two compiles is shown, 0 or 1.
        wanted: the switches that the viewer asks for, or what to measure, and a running number;
            null without bench.
        answer: the same number, `busy`, `done` or `failed`, and the seconds that it took.

    Example:
        `PassExplorer(kernel.trace())` as the last line of a notebook cell.
    """

    _esm = viewer_script()
    _css = _FOLDER / "passes.css"
    data = traitlets.Unicode("").tag(sync=True)
    index = traitlets.Int(-1).tag(sync=True)
    track = traitlets.Int(0).tag(sync=True)
    wanted = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(
        self, shown: PassTrace | Exhibit, language: Language = "en", bench: Bench | None = None
    ) -> None:
        made = exhibit(shown, language) if isinstance(shown, PassTrace) else shown
        self.shown = bench.start if bench else made
        self.bench = bench
        super().__init__(data=explorer_state(self.shown), wanted={} if bench else None)
        self.observe(self._try, "wanted")

    @property
    def trace(self) -> PassTrace:
        """The original compile."""
        return self.shown.trace

    def __repr__(self) -> str:
        text = summary(self.trace, self.shown.language)
        return f"PassExplorer({self.trace.kernel}, {self.trace.mode}: {text})"

    def _repr_mimebundle_(
        self, **kwargs: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        data, metadata = cast(
            tuple[dict[str, object], dict[str, object]], super()._repr_mimebundle_(**kwargs)
        )
        twin = twin_html(self.trace, self.shown.language)
        failure = f"<pre>{html.escape(self.shown.failure)}</pre>" if self.shown.failure else ""
        return {**data, "text/html": failure + twin}, metadata

    def export_html(self, path: str | Path) -> Path:
        """Writes one HTML file that works from disk with no network; returns its path."""
        return export_html(self.shown, path)

    def _try(self, change: Mapping[str, object]) -> None:
        """Compiles with the switches that the viewer asks for, and answers."""
        asked = cast(Mapping[str, object], change["new"] or {})
        if self.bench is None or "number" not in asked:
            return
        start = time.perf_counter()
        self.answer = answer = {"number": asked["number"], "state": "busy"}
        state = "failed"
        try:
            self.shown = self._answered(asked)
            self.data = explorer_state(self.shown)
            state = "failed" if self.shown.failure else "done"
        finally:  # a fault of ours goes to the log, and the viewer does not wait for ever
            seconds = f"{time.perf_counter() - start:.2f}"
            self.answer = {**answer, "state": state, "seconds": seconds}

    def _answered(self, asked: Mapping[str, object]) -> Exhibit:
        assert self.bench is not None, "only a bench is asked"
        if "measure" in asked:
            numbers = asked["measure"] == "numbers"
            return self.bench.measured(self.shown, self.track, numbers=numbers)
        return self.bench.tried(cast(Mapping[str, str], asked["configs"]), self.shown)
