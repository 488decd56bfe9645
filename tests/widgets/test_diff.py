from __future__ import annotations

import collections

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tlcourse.widgets.diff import Memo, Row, diff_texts
from tlcourse.widgets.lines import VALUE

VALUES = st.sampled_from(["%0", "%1", "%2", "%c0", "%arg0"])
LINE = st.one_of(
    st.builds("{} = arith.addi {}, {} : i32".format, VALUES, VALUES, VALUES),
    st.builds(
        "  hivm.hir.load ins({} : memref<{}xf16>) outs({} : memref<8xf16>)".format,
        VALUES,
        st.sampled_from(["8", "16", "?x8"]),
        VALUES,
    ),
    st.sampled_from(["scf.for %i = %c0 to %c1 {", "}", "return", "", "  "]),
    st.text(alphabet='%ab0x =:<>,."#', max_size=12),
)
TEXT = st.lists(LINE, max_size=14).map("\n".join)


def kinds(before: str, after: str) -> list[str]:
    return [row.kind for row in diff_texts(before, after)]


def rebuilt(row: Row, before: list[str], after: list[str]) -> str:
    """The right line made from the left one and the stretches."""
    assert row.before is not None
    assert row.after is not None
    left, right = before[row.before], after[row.after]
    text, column = "", 0
    for words in row.words:
        text += left[column : words.before_start] + right[words.after_start : words.after_end]
        column = words.before_end
    return text + left[column:]


@settings(max_examples=400, deadline=None)
@example("b", "b ")
@example("%", "%0")
@example("  b c ", "\tb")
@example("a b ", "a c")
@example(" ", "\t")
@given(TEXT, TEXT)
def test_rows_and_stretches_rebuild_both_texts(before: str, after: str) -> None:
    left, right = before.splitlines(), after.splitlines()
    rows = diff_texts(before, after)
    assert [row.before for row in rows if row.before is not None] == list(range(len(left)))
    assert [row.after for row in rows if row.after is not None] == list(range(len(right)))
    for row in rows:
        if row.before is not None and row.after is not None:
            here, there = left[row.before], right[row.after]
            assert (row.kind == "same") <= (here == there)
            assert (row.kind == "changed") == bool(row.words)
            if row.kind == "changed":
                assert rebuilt(row, left, right) == there
            else:
                assert VALUE.sub("%_", here).strip() == VALUE.sub("%_", there).strip()


@settings(deadline=None)
@given(TEXT)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert set(kinds(text, text)) <= {"same"}


@settings(deadline=None)
@given(TEXT, TEXT)
def test_same_input_gives_same_rows(before: str, after: str) -> None:
    assert diff_texts(before, after) == diff_texts(before, after, Memo())


KERNEL = """func.func @k(%arg0: memref<8xf16>) {
  %0 = arith.constant 4 : index
  %1 = memref.subview %arg0[%0] : memref<8xf16>
  %2 = memref.alloc() : memref<8xf16>
  hivm.hir.vsub ins(%1, %2 : memref<8xf16>) outs(%2 : memref<8xf16>)
  return
}"""


def test_renumbered_values_are_no_change() -> None:
    renamed = KERNEL.replace("%2", "%9").replace("%1", "%7").replace("%0", "%5")
    assert kinds(KERNEL, renamed) == [*["same"], *["renamed"] * 4, "same", "same"]


def test_swapped_operands_are_a_change() -> None:
    rows = diff_texts(KERNEL, KERNEL.replace("ins(%1, %2", "ins(%2, %1"))
    assert [row.kind for row in rows] == [*["same"] * 4, "changed", "same", "same"]
    assert [words.renamed for words in rows[4].words] == [False, False]


def test_swapped_operands_show_through_a_renaming() -> None:
    renamed = KERNEL.replace("ins(%1, %2", "ins(%2, %1").replace("%2", "%8")
    rows = diff_texts(KERNEL, renamed)
    assert rows[4].kind == "changed"
    assert [words.renamed for words in rows[4].words] == [False, False, True]


def test_a_name_that_moved_to_another_value_is_a_change() -> None:
    before = "%0 = a.x\n%1 = a.y\nuse %0"
    after = "%0 = a.y\n%1 = a.x\nuse %0"
    assert diff_texts(before, after)[-1].kind == "changed"


def test_changed_words_are_marked_alone() -> None:
    before = "  hivm.hir.load ins(%a : memref<64x8xf16>) outs(%b : memref<8xf16>)"
    after = before.replace("64x8", "64x8").replace("<8xf16>", "<8xf32>")
    (row,) = diff_texts(before, after)
    assert row.kind == "changed"
    (words,) = row.words
    assert before[words.before_start : words.before_end] == "f16"
    assert after[words.after_start : words.after_end] == "f32"


def test_inserted_attribute_is_one_stretch() -> None:
    before = "hivm.hir.vexp ins(%a : i32) outs(%b : i32)"
    after = "hivm.hir.vexp {core_type = <VECTOR>} ins(%a : i32) outs(%b : i32)"
    (row,) = diff_texts(before, after)
    (words,) = row.words
    assert words.before_start == words.before_end
    assert after[words.after_start : words.after_end].strip() == "{core_type = <VECTOR>}"


def test_indentation_alone_is_no_change() -> None:
    assert kinds("%0 = a.x", "    %0 = a.x") == ["renamed"]


def test_unlike_lines_stand_apart() -> None:
    assert kinds("memref.copy %a, %b : i32", "hivm.hir.nd2nz {c} ins(%x)") == ["removed", "added"]


def test_hoisted_line_is_moved_and_its_readers_stay_equal() -> None:
    before = "%c = a.c\nscf.for %i = %c {\n  %1 = a.m %c\n  a.u %1\n}"
    after = "%c = a.c\n%0 = a.m %c\nscf.for %i = %c {\n  a.u %0\n}"
    assert kinds(before, after) == ["same", "moved", "same", "moved", "renamed", "same"]


@pytest.mark.parametrize(("before", "after"), [("", ""), ("", "a.b"), ("a.b", ""), ("\n\n", "\n")])
def test_empty_texts(before: str, after: str) -> None:
    rows = diff_texts(before, after)
    assert sum(row.before is not None for row in rows) == len(before.splitlines())
    assert sum(row.after is not None for row in rows) == len(after.splitlines())


def test_three_thousand_renumbered_lines_are_all_renamed() -> None:
    def text(first: int) -> str:
        ops = (f"%{first + k} = arith.addi %{first + k - 1}, %c{k % 3} : i32" for k in range(3000))
        return f"%{first - 1} = a.x\n" + "\n".join(ops)

    counts = collections.Counter(kinds(text(1), text(50)))
    assert counts == {"renamed": 3001}
