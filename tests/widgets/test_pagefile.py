"""A page that cannot be written says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.records import MemoryMap, PassTrace, Timeline
from tlcourse.widgets.explorer import export_html
from tlcourse.widgets.memory import MemoryView
from tlcourse.widgets.pagefile import write_text
from tlcourse.widgets.timeline import TimelineView


def test_writes_and_returns_the_path(tmp_path: Path) -> None:
    path = write_text(str(tmp_path / "a.html"), "页")
    assert path == tmp_path / "a.html"
    assert path.read_text(encoding="utf-8") == "页"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("{0}", "Is a directory"),
        ("{0}/none/a.html", "No such file or directory"),
        ("", "needs the path of a file"),
        (None, "The file None cannot be used"),
        (3, "The file 3 cannot be used"),
    ],
)
def test_tl718_no_file(path: Any, says: str, tmp_path: Path) -> None:
    if isinstance(path, str):
        path = path.format(tmp_path)
    with pytest.raises(TLError, match="TL718") as found:
        write_text(path, "page")
    assert says in str(found.value)


def test_tl718_from_each_kind_of_view(
    trace: PassTrace, timeline: Timeline, memory: tuple[MemoryMap, ...], tmp_path: Path
) -> None:
    """The explorer, a viewer and a figure write through the same function."""
    nowhere = tmp_path / "none" / "page.html"
    for write in (
        lambda: export_html(trace, nowhere),
        lambda: TimelineView(timeline).export_html(nowhere),
        lambda: MemoryView(memory).export_html(nowhere),
    ):
        with pytest.raises(TLError, match=r"TL718.*page\.html"):
            write()
