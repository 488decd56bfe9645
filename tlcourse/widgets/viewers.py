"""Small viewers of a notebook: one class for all that show a packed state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import anywidget
import traitlets

from tlcourse.widgets.standalone import viewer_script, viewer_style


class SmallViewer(anywidget.AnyWidget):
    """Shows a packed state with a script.

    Args:
        scripts: files of the script.
        data: the packed state.
        title: what it says of itself in a text.
        view: what is shown at first.

    Traits:
        data: everything shown.
        view: what of it is shown, in the viewer's own words; empty at first.
    """

    _css = viewer_style()
    data = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)

    def __init__(self, scripts: Sequence[str], data: str, title: str, view: str = "") -> None:
        self._title = title
        super().__init__(data=data, view=view, _esm=viewer_script(*scripts))

    def __repr__(self) -> str:
        return self._title

    def handle(self) -> dict[str, object]:
        """What a notebook needs to show it."""
        found = cast("tuple[dict[str, object], object] | None", super()._repr_mimebundle_())
        return found[0] if found else {}


def viewer_handle(
    scripts: Sequence[str],
    data: str,
    title: str,
    *,
    view: str = "",
    on_view: Callable[[str], None] | None = None,
) -> dict[str, object]:
    """What a notebook needs to show a viewer; `on_view` is told each view that is chosen."""
    made = SmallViewer(scripts, data, title, view)
    if on_view is not None:

        def heard(change: Mapping[str, object]) -> None:
            on_view(str(change["new"]))

        made.observe(heard, "view")
    return made.handle()
