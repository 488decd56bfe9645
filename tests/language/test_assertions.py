"""`assert` and T.assert_ in a kernel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

FORMS = ("assert {}, 'odd size'", "T.assert_({}, 'odd size')")


@pytest.mark.parametrize("form", FORMS)
def test_one_that_holds_leaves_nothing(body: Callable[..., T.PrimFunc], form: str) -> None:
    assert body(form.format("size == 4"), size=4).script() == body("pass").script()


@pytest.mark.parametrize("form", FORMS)
def test_one_that_does_not_hold_stops_the_reading(
    refuse: Callable[..., TLError], form: str
) -> None:
    error = refuse(form.format("size == 4"), size=3)
    assert (error.code, "does not hold: odd size" in str(error)) == ("TL128", True)


@pytest.mark.parametrize("form", FORMS)
def test_the_npu_cannot_check(refuse: Callable[[str], TLError], form: str) -> None:
    assert refuse(form.format("n > 3")).code == "TL103"


def test_a_branch_that_is_not_taken_may_hold_one(body: Callable[..., T.PrimFunc]) -> None:
    lines = "if op == 'add':\n    T.copy(a, b)\nelse:\n    T.assert_(False, 'unknown op')"
    assert "T.copy(a, b)" in body(lines, op="add").script()
