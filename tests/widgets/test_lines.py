from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlcourse.widgets.lines import read_line, split_places, words


def test_line_with_results_and_operands() -> None:
    line = read_line("    %2, %3 = scf.for %i = %c0 to %c8 iter_args(%a = %0, %b = %1) {")
    assert line.form.template == "%_, %_ = scf.for %_ = %_ to %_ iter_args(%_ = %_, %_ = %_) {"
    assert line.form.op == "scf.for"
    assert line.form.results == 2
    assert line.uses == ("%c0", "%c8", "%0", "%1")
    assert line.made == ("%2", "%3", "%i", "%a", "%b")


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f(%a: i32, %b: i32) {",
        "func.func @f(%a : i32, %b : i32) {",
        "^bb0(%a: i32, %b: i32):",
        "^0(%a : i32, %b : i32):",
    ],
)
def test_arguments_are_defined_where_they_are_printed(text: str) -> None:
    line = read_line(text)
    assert line.made == ("%a", "%b")
    assert line.uses == ()


def test_operands_before_a_type_are_uses() -> None:
    line = read_line("hivm.hir.vadd ins(%a, %b : memref<8xf16>) outs(%c : memref<8xf16>)")
    assert line.uses == ("%a", "%b", "%c")
    assert line.made == ()


def test_generic_form_has_an_op_name() -> None:
    assert read_line('%0 = "hivm.hir.load"(%1) : (i32) -> i32').form.op == "hivm.hir.load"
    assert read_line("  }").form.op == ""


def test_words_split_shapes_and_keep_dotted_names() -> None:
    assert words("hivm.hir.load %a : memref<?x64xf16>") == [
        *("hivm.hir.load", " ", "%a", " ", ":", " ", "memref", "<"),
        *("?", "x", "64", "x", "f16", ">"),
    ]


@given(
    st.text(alphabet=st.characters(blacklist_characters="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
)
def test_words_lose_nothing(text: str) -> None:
    assert "".join(words(text)) == text


def test_places_are_taken_out_and_kept() -> None:
    bare, places = split_places(
        "scf.for %i = %c0 to %c8 {\n"
        '  %0 = memref.alloc() : memref<8xf16> loc("a.py":3:5)\n'
        '  f.g(%0) loc(callsite("m.py":1:2 at "a.py":4:5))\n'
        '} loc(fused["a.py":2:1, "a.py":2:9])\n'
        "return loc(unknown)"
    )
    assert bare == (
        "scf.for %i = %c0 to %c8 {\n  %0 = memref.alloc() : memref<8xf16>\n  f.g(%0)\n}\nreturn"
    )
    assert places == [
        (("a.py", 2),),
        (("a.py", 3),),
        (("m.py", 1), ("a.py", 4)),
        (("a.py", 2),),
        (),
    ]


def test_argument_locations_are_taken_out_of_a_line() -> None:
    bare, _ = split_places('func.func @f(%a: i64 loc("a.py":1:7), %b: i64 loc("a.py":1:9)) {')
    assert bare == "func.func @f(%a: i64, %b: i64) {"


def test_a_word_that_ends_in_loc_is_no_location() -> None:
    text = "%alloc = memref.alloc(%c8) : memref<?xf16>"
    assert split_places(text)[0] == text
