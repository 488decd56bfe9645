from __future__ import annotations

from tlcourse.widgets.carried import carried
from tlcourse.widgets.lines import Reader

HEAD, END = "func.func @k(%arg0: i32, %arg1: i32) {", '} loc("a.py":1:1)'


def placed(*texts: str) -> list[int]:
    """The line that each op maps to, 0 for none."""
    reader = Reader()
    bare, places = reader.split("\n".join(texts))
    found = carried(reader.read(bare), places)
    return [place[0][1] if place else 0 for place in found]


def test_an_op_gets_the_place_of_the_first_that_reads_it() -> None:
    texts = ("%0 = a.x", "%1 = a.y %0", 'a.z %1 loc("a.py":4:1)', 'a.z %1 loc("a.py":5:1)')
    assert placed(*texts) == [4, 4, 4, 5]


def test_an_op_that_nobody_reads_follows_its_operands_and_parameters_the_function() -> None:
    texts = (HEAD, 'a.x %arg0 loc("a.py":2:1)', "%0 = a.y %arg1", "a.mark %0", END)
    assert placed(*texts) == [1, 2, 1, 1, 1]


def test_an_op_that_reads_nothing_follows_one_that_says_the_same() -> None:
    texts = ("%0 = a.idx", "%1 = a.t %0", '%2 = a.idx loc("a.py":3:1)', "a.other")
    assert placed(*texts) == [3, 3, 3, 0]


def test_constants_and_texts_without_any_place_get_none() -> None:
    texts = ("%c0 = arith.constant 0 : i32", 'a.x %c0 loc("a.py":2:1)')
    assert placed(*texts) == [0, 2]
    assert placed("%0 = a.x", "a.y %0") == [0, 0]


def test_a_name_defined_again_is_another_value() -> None:
    texts = ("%0 = a.x", "%0 = a.y", 'a.z %0 loc("a.py":4:1)')
    assert placed(*texts) == [0, 4, 4]
