"""The pass explorer: step through the IR of a kernel, pass by pass, with the arrow keys."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import anywidget
import traitlets

from tlcourse.records import PassTrace
from tlcourse.widgets.explorer import explorer_state, export_html, summary, viewer_script
from tlcourse.widgets.labels import Language
from tlcourse.widgets.twin import twin_html

_FOLDER = Path(__file__).parent


class PassExplorer(anywidget.AnyWidget):
    """Shows what each compiler pass did to a kernel.

    Args:
        trace: the passes of one compile.
        language: `en` or `zh`, the words on screen.

    Traits:
        data: everything shown, as JSON, gzip, base64.
        index: number of the pass shown; -1 until the viewer chose the first changed one.

    Example:
        `PassExplorer(kernel.trace())` as the last line of a notebook cell.
    """

    _esm = viewer_script()
    _css = _FOLDER / "passes.css"
    data = traitlets.Unicode("").tag(sync=True)
    index = traitlets.Int(-1).tag(sync=True)

    def __init__(self, trace: PassTrace, language: Language = "en") -> None:
        self.trace = trace
        self.language: Language = language
        super().__init__(data=explorer_state(trace, language))

    def __repr__(self) -> str:
        text = summary(self.trace, self.language)
        return f"PassExplorer({self.trace.kernel}, {self.trace.mode}: {text})"

    def _repr_mimebundle_(
        self, **kwargs: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        data, metadata = cast(
            tuple[dict[str, object], dict[str, object]], super()._repr_mimebundle_(**kwargs)
        )
        return {**data, "text/html": twin_html(self.trace, self.language)}, metadata

    def export_html(self, path: str | Path) -> Path:
        """Writes one HTML file that works from disk with no network; returns its path."""
        return export_html(self.trace, path, self.language)
