from __future__ import annotations

from tlcourse.dialects.normal_form import normal_form
from tlcourse.pipeline.comparison import Stage, compare_stages
from tlcourse.pipeline.value_names import in_names_of

HEAD = "func.func @k(%0: index) {"
LEFT = [HEAD, "%1 = arith.muli %0, %0 : index", "%2 = arith.addi %1, %0 : index", "use %2, %1"]
RIGHT = [
    HEAD,
    "%1 = arith.subi %0, %0 : index",
    "%2 = arith.muli %0, %0 : index",
    "%3 = arith.addi %2, %0 : index",
    "use %3, %2",
]


def test_one_op_more_is_one_line_more():
    renamed = in_names_of(LEFT, RIGHT)
    assert [line for line in renamed if line not in LEFT] == ["%3 = arith.subi %0, %0 : index"]
    assert [line for line in renamed if line in LEFT] == LEFT


def test_another_operand_stays_a_difference():
    renamed = in_names_of(LEFT, [*RIGHT[:4], "use %2, %3"])
    assert renamed[4] == "use %1, %2"


def test_no_two_values_get_one_name():
    twice = [HEAD, "%1 = arith.muli %0, %0 : index", "use %1, %1"]
    apart = [HEAD, "%1 = arith.muli %0, %0 : index", "%2 = arith.muli %0, %0 : index", "use %1, %2"]
    renamed = in_names_of(twice, apart)
    words = {before: after for before, after in zip(apart[3].split(), renamed[3].split())}
    assert words["%1,"] != f"{words['%2']},"


def test_each_function_has_names_of_its_own():
    other = "func.func @other(%0: index) {"
    left = [*LEFT, other, "%1 = arith.divsi %0, %0 : index"]
    right = [*RIGHT, other, "%1 = arith.divsi %0, %0 : index"]
    assert in_names_of(left, right)[-1] == left[-1]


def test_the_difference_of_two_stages_shows_what_differs():
    before = "func.func @k(%n: index) {\n  return\n}\n"
    one = before.replace("  return", "  %a = arith.muli %n, %n : index\n  return")
    rest = "".join(f"  %s{n} = arith.addi %n, %n : index\n" for n in range(5)) + "  return"
    ours, theirs = (text.replace("  return", rest) for text in (before, one))
    stages = [[Stage(name="a", before=before, after=text)] for text in (ours, theirs)]
    (row,) = compare_stages(*stages)
    changed = [line for line in row.diff if line[0] in "+-" and line[:3] not in ("---", "+++")]
    assert len(changed) == 1
    assert "arith.muli" in changed[0]
    assert normal_form(ours) != normal_form(theirs)
