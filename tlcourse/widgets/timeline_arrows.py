"""The arrows of a static timeline: from an instruction to the one that waited for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tlcourse.widgets import svg
from tlcourse.widgets.lanes import Edge, Row, edges

Lane = tuple[str, str]  # core and pipe
MOST_ARROWS = 120  # more than these hide the lanes


def arrow_head() -> str:
    """The definition that `arrows` refers to."""
    return (
        '<marker id="tl-tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" '
        'markerWidth="9" markerHeight="9" orient="auto">'
        '<path d="M0 0L8 4L0 8z" class="ink"/></marker>'
    )


def arrows(
    rows: tuple[Row, ...],
    middles: Mapping[Lane, float],
    x_of: Callable[[int], float],
    finest: int,
) -> str:
    """Arrows of the waits that stop a pipe for long enough to be seen; dashed between cores.

    Args:
        rows: the lanes of the figure.
        middles: height of each lane's middle.
        x_of: the column of a cycle.
        finest: a shorter gap is not drawn, and neither is its arrow.
    """
    wide = _ends(rows, finest)
    shown = [one for one in edges(rows) if one.stalls and _end(one) in wide]
    if len(shown) > MOST_ARROWS:
        shown = sorted(shown, key=lambda one: -wide[_end(one)])[:MOST_ARROWS]
        shown.sort(key=lambda one: (one.waiter.start_cycle, one.waiter.id))
    return "".join(_drawn(shown, middles, x_of))


def _ends(rows: tuple[Row, ...], finest: int) -> dict[tuple[Lane, int], int]:
    """Where a gap ends, and how long it is."""
    lengths = {
        ((row.agent, row.pipe), gap.end_cycle): gap.end_cycle - gap.start_cycle
        for row in rows
        for gap in row.bubbles
    }
    return {end: length for end, length in lengths.items() if length >= 2 * finest}


def _end(edge: Edge) -> tuple[Lane, int]:
    return (edge.waiter.agent, edge.waiter.pipe), edge.waiter.start_cycle


def _drawn(
    shown: Iterable[Edge], middles: Mapping[Lane, float], x_of: Callable[[int], float]
) -> Iterable[str]:
    for edge in shown:
        x0, x1 = x_of(edge.setter.end_cycle), x_of(edge.waiter.start_cycle)
        y0 = middles[edge.setter.agent, edge.setter.pipe]
        y1 = middles[edge.waiter.agent, edge.waiter.pipe]
        bend = max(abs(x1 - x0) * 0.4, 14.0)
        corners = (x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1)
        path = "M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}".format(*corners)
        look: dict[str, object] = {"d": path, "class": "arrow", "marker-end": "url(#tl-tip)"}
        if edge.crosses:
            look["stroke-dasharray"] = "5 3"
        yield svg.tag("path", look)
