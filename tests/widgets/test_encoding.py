from __future__ import annotations

import pytest

from tlcourse.widgets.diff import diff_texts
from tlcourse.widgets.encoding import Texts, relative_names
from tlcourse.widgets.lines import read_line


@pytest.mark.parametrize(
    ("line", "expected", "written", "after"),
    [
        ("%3 = a.b %1, %2 : i32", 3, ("", "2", "1"), 4),
        ("%7 = a.b %9 : i32", 3, ("=7", "-6"), 8),
        ("%0:2 = a.b %arg0", 0, ("", "arg0"), 1),
        ("a.b %0, %0", 1, ("1", "1"), 1),
        ("%00 = a.b %c0_1, %-x, %.y", 1, (":00", "c0_1", "~-x", "~.y"), 1),
        ("%1, %2 = a.b", 1, ("", ""), 3),
    ],
)
def test_numbers_are_relative(
    line: str, expected: int, written: tuple[str, ...], after: int
) -> None:
    assert relative_names(read_line(line), expected) == (written, after)


def test_renumbered_text_is_copied() -> None:
    texts = Texts(sources=[])
    body = "%{0} = a.b %{1}\n%{2} = a.c %{0}"
    before, after = (
        f"%0 = a.a\n{body.format(1, 0, 2)}",
        f"%0 = a.new\n%1 = a.a\n{body.format(2, 1, 3)}",
    )
    assert texts.number(before) == 0
    assert texts.number(after, 0, diff_texts(before, after)) == 1
    packed = texts.packed()
    assert packed["texts"] == [
        (-1, [[2, 3]], [0, 0, 0], []),
        (0, [[2, 1], [4, 3]], [0], []),
    ]
    assert packed["lines"] == "0 \n1  1\n2  1\n3 "


def test_a_line_that_reads_something_else_is_replaced() -> None:
    texts = Texts(sources=[])
    before, after = "%0 = a.a\n%1 = a.b\na.c %0\na.d %0", "%0 = a.a\n%1 = a.b\na.c %1\na.d %0"
    texts.number(before)
    texts.number(after, 0, diff_texts(before, after))
    assert texts.texts[1] == (0, [[0, 2], [3, 4, 2, 2, 0], [0, 1]], [0], [])


def test_a_changed_line_hands_its_value_on() -> None:
    texts = Texts(sources=[])
    before = "%0 = a.a {x}\na.c %0"
    after = "%0 = a.new\n%1 = a.a {y}\na.c %1"
    texts.number(before)
    texts.number(after, 0, diff_texts(before, after))
    assert texts.texts[1] == (0, [[2, 1], [3, 0, 2, 2, 1, 8, 1, 1, 0], [4, 1]], [0, 0], [])


def test_a_removed_line_is_skipped() -> None:
    texts = Texts(sources=[])
    before, after = "a.a\na.b\na.b\na.c", "a.a\na.c"
    texts.number(before)
    texts.number(after, 0, diff_texts(before, after))
    assert texts.texts[1] == (0, [[0, 1], [1, 2], [0, 1]], [], [])


def test_a_text_is_kept_once() -> None:
    texts = Texts(sources=[])
    assert [texts.number(text) for text in ("a.x", "a.y", "a.x")] == [0, 1, 0]
    assert texts.texts == [(-1, [[2, 1]], [0], []), (-1, [[2, 1]], [0], [])]


def test_equal_lines_of_two_places_are_two_entries() -> None:
    texts = Texts(sources=["cell:1"])
    texts.number('a.x loc("cell:1":3:1)\na.x loc("cell:1":4:1)\na.x loc("elsewhere":4:1)')
    assert texts.packed()["places"] == [[0, 3], [0, 4], []]


def test_a_place_that_was_carried_is_marked() -> None:
    texts = Texts(sources=["k"])
    texts.number('%0 = a.x\na.y %0 loc("k":4:1)\n%1 = a.x loc("elsewhere":2:1)')
    assert texts.packed()["places"] == [[0, 4, 1], [0, 4], []]
