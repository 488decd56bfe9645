from dataclasses import replace

from tlcourse.diagnostics import SourceFile, Span
from tlcourse.grading.report import as_html, as_text, first_sentence
from tlcourse.records import Check, Verdict

PASSED = Check(name="compiles", state="PASS", points=1.5, max_points=1.5, reason="it compiles")
WRONG = Check(
    name="numbers",
    state="FAIL",
    points=0.0,
    max_points=8.5,
    reason="C: <every> element is 0",
    hint="Likely cause: nothing is stored.",
    detail="The largest error is 3 times its limit.",
    why="|y - r| <= 2",
    span=Span(source="cell:1", line=2, column=1, end_line=2, end_column=4),
)
LATER = Check(name="hidden", state="TODO", points=0.0, max_points=5.0, reason="at hand-in")
SOURCES = {"cell:1": SourceFile(id="cell:1", text="a = 1\nb = 2\n", title="this cell")}


def _verdict(*checks: Check, state: str = "FAIL") -> Verdict:
    points = sum(check.points for check in checks)
    return Verdict(
        exercise="d2.minicv",
        state=state,
        points=points,
        max_points=10.0,
        checks=checks,
        mode="Expert",
    )


def test_text_says_what_where_why_and_shows_the_line() -> None:
    lines = as_text(_verdict(PASSED, WRONG), "en", SOURCES).splitlines()
    assert lines[0] == "✗ d2.minicv FAIL 1.5/10 (Expert)"
    assert lines[1] == ("Not right yet. C: <every> element is 0. Likely cause: nothing is stored.")
    assert "  ✗ numbers: C: <every> element is 0 (line 2) [0/8.5]" in lines
    assert any("b = 2" in line for line in lines)
    assert any("^^^" in line for line in lines)


def test_html_is_escaped_and_folds_the_limit_away() -> None:
    page = as_html(_verdict(PASSED, WRONG), "en", SOURCES)
    assert "<every>" not in page
    assert "&lt;every&gt;" in page
    assert "<details><summary>why this limit</summary>|y - r| &lt;= 2</details>" in page
    assert "b = 2" in page


def test_html_tells_a_cause_and_a_line_once() -> None:
    other = replace(WRONG, name="more numbers", hint="Likely cause: a tail.")
    page = as_html(_verdict(PASSED, WRONG, other), "en", SOURCES)
    assert page.count(WRONG.hint) == 1  # in the sentence above the table alone
    assert page.count(other.hint) == 1
    assert page.count("^^^") == 1
    assert page.index("numbers") < page.index("^^^") < page.index("more numbers")


def test_public_cases_alone_are_no_full_marks() -> None:
    assert "5 more points" in first_sentence(_verdict(PASSED, LATER, state="PASS"))
    assert first_sentence(_verdict(PASSED, state="PASS")) == "Right: all checks pass."


def test_chinese_words() -> None:
    said = first_sentence(_verdict(replace(WRONG, reason="C 不对", hint="")), "zh")
    assert said == "还不正确。C 不对。"
    assert "为什么是这个界限" in as_html(_verdict(WRONG), "zh")
