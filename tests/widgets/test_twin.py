from __future__ import annotations

import re
from collections.abc import Callable

from tlcourse.records import PassTrace
from tlcourse.widgets.twin import twin_html

MakeTrace = Callable[..., PassTrace]


def test_one_details_for_each_pass_that_changed_or_failed(trace: PassTrace) -> None:
    text = twin_html(trace)
    names = re.findall(r"<summary>(\d+) <code>([^<]+)</code>", text)
    assert names == [
        ("1", "convert-to-hivm-op"),
        ("3", "hivm-infer-mem-scope"),
        ("4", "hivm-plan-memory"),
    ]
    assert "2 of 4 passes changed the IR, 1 failed" in text


def test_signs_stand_before_changed_lines(trace: PassTrace) -> None:
    text = twin_html(trace)
    assert ">-     memref.copy %arg0, %0" in text
    assert ">+     hivm.hir.load ins(%arg0" in text
    assert "+1 -1 lines, load +1, memref.copy -1" in text


def test_changed_words_are_marked(trace: PassTrace) -> None:
    assert "memref&lt;64xf16<ins>, ub</ins>&gt;" in twin_html(trace)


def test_notes_of_a_failed_pass_are_shown(trace: PassTrace) -> None:
    assert "<p>gave up at %0</p>" in twin_html(trace)


def test_twin_needs_no_script_and_no_style_sheet(trace: PassTrace) -> None:
    assert not re.search(r"<(script|style|svg|iframe|link)|onclick|src=", twin_html(trace))


def test_text_of_a_kernel_cannot_become_markup(make_trace: MakeTrace) -> None:
    text = twin_html(
        make_trace(
            ("tir", "input", "changed", "a.b"),
            ("tir", "<i>p</i>", "changed", 'a.b {note = "<script>"}'),
            kernel="<b>k",
        )
    )
    assert "<script>" not in text
    assert "<i>p" not in text
    assert "&lt;b&gt;k" in text


def test_pure_renaming_shows_no_line(make_trace: MakeTrace, ir: dict[str, str]) -> None:
    text = twin_html(
        make_trace(
            ("tir", "input", "changed", ir["input"]),
            ("tir", "p", "changed", ir["input"].replace("%0", "%7")),
        )
    )
    assert "only value names differ" in text
    assert "<del>" not in text
    assert "background" not in text


def test_length_is_bounded_and_what_is_left_out_is_said(make_trace: MakeTrace) -> None:
    texts = ["\n".join(f"op{k}.x {n} : i32" for n in range(200)) for k in range(60)]
    passes = [("tir", f"p{k}", "changed", text) for k, text in enumerate(texts)]
    text = twin_html(make_trace(*passes))
    assert len(text) < 60_000
    assert "more rows: open the explorer" in text
    assert "more changed passes: open the explorer" in text


def test_words_in_chinese(trace: PassTrace) -> None:
    text = twin_html(trace, "zh")
    assert 'lang="zh"' in text
    assert "4 个 pass 中 2 个改变了 IR" in text
