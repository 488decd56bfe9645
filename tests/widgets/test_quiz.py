"""Choices are read from the cell that asks."""

from __future__ import annotations

import pytest

from tlcourse.widgets.quiz import Quiz, choices_in


@pytest.mark.parametrize(
    ("cell", "choices"),
    [
        ('answer("q.p1", "?")  # a: two  b: three', (("a", "two"), ("b", "three"))),
        ("x = 1\nanswer('q.p1', \"b\")  # a：二  b：三，也行", (("a", "二"), ("b", "三，也行"))),
        ('answer("q.p2", "?")  # a: two  b: three', ()),
        ('answer("q.p1", "?")  # your twelve words, such as MTE2, none', ()),
        ('answer("q.p1", "?")', ()),
        ("", ()),
    ],
)
def test_choices_of_a_cell(cell: str, choices: tuple[tuple[str, str], ...]) -> None:
    assert choices_in(cell, "q.p1") == choices


def test_quiz_says_what_it_is_and_tells_the_choice() -> None:
    quiz = Quiz(question="q.p1", choices=(("a", "two"), ("b", "three")), chosen="b")
    assert repr(quiz) == "Quiz(q.p1; a: two, b: three; chosen b)"
    assert quiz.state() == quiz.state()
    pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")
    assert "application/vnd.jupyter.widget-view+json" in quiz.handle(lambda _: None)
