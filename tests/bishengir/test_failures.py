from __future__ import annotations

from tlcourse.bishengir.failures import crashed, refused
from tlcourse.diagnostics import SourceFile, Span

_TEXT = "def vadd(A, B):\n    T.copy(A, a)\n    T.vadd(a, a, b)\n"
_SOURCES = {"cell:0123abcd": SourceFile(id="cell:0123abcd", text=_TEXT, title="this cell")}
_OVERFLOW = (
    "cell:0123abcd:1:1: error: ub overflow, requires 1573120 bits while 1572864 bits available! "
    "(possible reason: tiling basic block is too large)\n"
    "// -----// IR Dump After PlanMemory Failed (hivm-plan-memory) //----- //\nfunc.func ...\n"
)


def test_an_overflow_is_told_in_bytes():
    error = refused(_OVERFLOW, "func.func @vadd(%a: i64) {}", _SOURCES)
    assert error.code == "TL301"
    assert error.pass_name == "hivm-plan-memory"
    what = "The tiles of vadd need 196,640 B of UB, which holds 196,608 B"
    assert error.diagnostic.what == what
    assert "this cell, line 1" in str(error)
    assert "bishengir-opt says: ub overflow, requires 1573120 bits" in error.diagnostic.why


def test_l0c_and_l1_have_their_everyday_names():
    for space, name in (("cc", "L0C"), ("cbuf", "L1")):
        stderr = f"k:1:1: error: {space} overflow, requires 16 bits while 8 bits available!"
        assert f"of {name}, which" in refused(stderr, "", None).diagnostic.what


def test_the_caret_covers_the_statement_that_the_tool_names():
    stderr = "cell:0123abcd:3:5: error: 'hivm.hir.vadd' op expected 2 inputs, but found 1\n"
    error = refused(stderr, "", _SOURCES)
    assert error.code == "TL351"
    assert "'hivm.hir.vadd' op expected 2 inputs" in error.diagnostic.why
    assert error.diagnostic.labels[0].span == Span(
        source="cell:0123abcd", line=3, column=5, end_line=3, end_column=20
    )


def test_a_place_in_the_tools_own_input_is_no_place_of_the_learner():
    for place in ("-:3:5: ", "<stdin>:3:5: ", "", "<unknown>:0: error: Pipeline:1:1: "):
        assert refused(f"{place}error: bad", "", _SOURCES).diagnostic.labels == ()


def test_a_place_without_its_text_is_a_point():
    (label,) = refused("gone.py:3:5: error: bad", "", None).diagnostic.labels
    assert (label.span.source, label.span.line, label.span.end_column) == ("gone.py", 3, 6)


def test_silence_is_an_error_too():
    assert "no message" in refused("", "", None).diagnostic.why


def test_a_crash_names_its_signal():
    assert "it aborted" in crashed(-6, "", "", None).diagnostic.why
    assert "signal 9 ended it" in crashed(-9, "", "", None).diagnostic.why
