"""TLCOURSE_LANG=zh: errors in Chinese, every code with a title."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tlcourse.chinese import FRAME, chinese_errors, chosen_language
from tlcourse.diagnostics import Label, SourceFile, Span, TLError, error, render_text
from tlcourse.grading.notebook import check, hint
from tlcourse.grading.words import say

ROOT = Path(__file__).parents[1]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
SOURCE = SourceFile(id="cell:1", text="x = 1\n    T.copy(p_ub, p_l1)\n", title="this cell")
PLACE = Label(span=Span(source="cell:1", line=2, column=12, end_line=2, end_column=16), text="UB")


def problem(code: str = "TL203") -> TLError:
    what = "T.copy cannot move p_ub to L1"
    return error(
        code,
        what,
        why="no path joins them",
        fix="go through GM",
        labels=(PLACE,),
        sources={SOURCE.id: SOURCE},
    )


def test_every_error_has_a_chinese_title_of_its_own() -> None:
    page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    assert set(chinese_errors()) == set(re.findall(r"^## (TL\d{3}) ", page, re.MULTILINE))
    for code, one in chinese_errors().items():
        for text in (one.title, one.why, one.fix):
            assert not text or CHINESE.search(text), code
        assert not one.title.endswith("。"), code


def test_errors_of_core_exercises_say_why_and_how() -> None:
    import tomllib

    sheet = tomllib.loads((ROOT / "course/ta_sheet.toml").read_text(encoding="utf-8"))
    assert [code for code in sheet if not chinese_errors()[code].fix] == []


@pytest.mark.parametrize(
    ("value", "language"), [("zh", "zh"), ("zh_CN.UTF-8", "zh"), ("en", "en"), ("", "en")]
)
def test_the_variable_chooses(value: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_LANG", value)
    assert chosen_language() == language


def test_an_error_in_chinese_keeps_names_carets_and_the_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TLCOURSE_LANG", "zh")
    assert str(problem()).splitlines() == [
        "错误[TL203]：两处内存之间没有数据通路",
        "  T.copy cannot move p_ub to L1",
        "  --> this cell, line 2",
        "   |",
        " 2 |     T.copy(p_ub, p_l1)",
        "   |            ^^^^ UB",
        f"  = 原因：{chinese_errors()['TL203'].why}",
        "  = 原因（why）：no path joins them",
        f"  = 改法：{chinese_errors()['TL203'].fix}",
        "  = 改法（fix）：go through GM",
        "  = 另见：docs/errors.md#TL203",
    ]


def test_english_is_the_default() -> None:
    assert str(problem()).startswith("error[TL203]: T.copy cannot")
    assert FRAME["why"] in render_text(problem().diagnostic, {}, "zh")


def test_an_unknown_code_is_shown_as_it_is() -> None:
    diagnostic = problem("TL9" + "99").diagnostic
    assert render_text(diagnostic, {}, "zh").startswith("错误[TL999]\n  T.copy cannot")


def test_a_verdict_names_the_error_in_chinese() -> None:
    said = say("compiles not", "zh", code="TL203", what="no path")
    assert said == "TL203 两处内存之间没有数据通路：no path"
    assert say("compiles not", "en", code="TL203", what="no path") == "TL203: no path"


def test_hints_and_checks_follow_the_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TLCOURSE_LANG", "zh")
    hint("d1.change_vadd")
    assert capsys.readouterr().out.startswith("提示 1/3：")
    with pytest.raises(TLError) as caught:
        check("d1.change_vad", lambda N: None)
    assert str(caught.value).startswith("错误[TL601]：没有这个练习")
    assert "did you mean d1.change_vadd?" in str(caught.value)
