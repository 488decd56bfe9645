"""The timeline viewer of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import anywidget
import traitlets

from tlcourse.widgets.labels import Language
from tlcourse.widgets.timeline_state import Track, style, timeline_state, title_of, viewer_script


class TimelineViewer(anywidget.AnyWidget):
    """Shows one timeline or two; `TimelineView` makes it when a notebook displays it.

    Args:
        tracks: the timelines.
        language: `en` or `zh`, the words on screen.

    Traits:
        data: everything shown, as JSON, gzip, base64.
        view: the stretch shown and what is chosen, as `FROM-TO;TRACK.ID`; empty for all.
    """

    _esm = viewer_script()
    _css = style()
    data = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)

    def __init__(self, tracks: Sequence[Track], language: Language = "en") -> None:
        self._title = title_of(tracks, language)
        super().__init__(data=timeline_state(tracks, language))

    def __repr__(self) -> str:
        return f"TimelineViewer({self._title})"

    def handle(self) -> dict[str, object]:
        """What a notebook needs to show it."""
        found = cast("tuple[dict[str, object], object] | None", super()._repr_mimebundle_())
        return found[0] if found else {}
