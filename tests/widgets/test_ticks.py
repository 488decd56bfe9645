"""Number lines: which marks stand where, and what is said of them."""

from __future__ import annotations

import re

import pytest

from tlcourse.widgets.ticks import TickView, ticks_svg

LINES = TickView("lines", {"coarse": [0.0, 4.0, 8.0], "fine": [1.0, 2.0, 3.0, 4.0, 9.0]}, 0, 8)


def marks(drawn: str) -> list[tuple[float, float]]:
    """Middle and top of each mark, in the order of drawing."""
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="4" height="22"', drawn)
    return [(float(x) + 2, float(y)) for x, y in found]


def test_marks_stand_to_scale_and_below_each_other() -> None:
    # the scale goes from 172 to 960: 98.5 for each unit
    assert marks(ticks_svg(LINES)) == [
        *[(172, 65), (566, 65), (960, 65)],
        *[(270.5, 113), (369, 113), (467.5, 113), (566, 113)],
    ]


def test_numbers_outside_are_left_out_and_the_others_counted() -> None:
    assert LINES.inside("fine") == [1, 2, 3, 4]
    assert LINES.summary() == "0 .. 8, coarse 3, fine 4"
    assert ">fine: 4<" in ticks_svg(LINES)
    assert 'alt="lines"' in LINES.to_html()


def test_a_range_without_width_is_our_mistake() -> None:
    with pytest.raises(AssertionError, match="width"):
        TickView("none", {}, 1, 1)
