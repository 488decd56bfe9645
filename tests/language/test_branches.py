"""T.If, T.Then and T.Else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

Body = Callable[..., T.PrimFunc]
PLAIN = {
    "then": (
        "with T.If(n > 3), T.Then():\n    T.copy(a, b)",
        "if n > 3:\n    T.copy(a, b)",
    ),
    "then and else": (
        "with T.If(n > 3):\n    with T.Then():\n        x = n + 1\n        T.fill(a, x)\n"
        "    with T.Else():\n        T.copy(a, c)",
        "if n > 3:\n    x = n + 1\n    T.fill(a, x)\nelse:\n    T.copy(a, c)",
    ),
    "else alone": (
        "with T.If(n > 3):\n    with T.Else():\n        T.copy(a, c)",
        "if n > 3:\n    pass\nelse:\n    T.copy(a, c)",
    ),
    "nested": (
        "with T.If(n > 3), T.Then():\n    with T.If(n > 5), T.Then():\n        T.copy(a, b)",
        "if n > 3:\n    if n > 5:\n        T.copy(a, b)",
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_it_means_a_plain_if(body: Body, name: str) -> None:
    built, plain = PLAIN[name]
    assert body(built).script() == body(plain).script()


def test_a_known_condition_stays(body: Body) -> None:
    assert "scf.if" in str(body("with T.If(True), T.Then():\n    T.copy(a, b)").module)


REFUSED = {
    "then outside": ("TL103", "with T.Then():\n    pass", "T.Then stands outside T.If"),
    "else behind": (
        "TL103",
        "with T.If(n > 1), T.Then():\n    T.copy(a, b)\nwith T.Else():\n    T.copy(a, c)",
        "T.Else stands outside T.If",
    ),
    "then behind else": (
        "TL103",
        "with T.If(n > 1):\n    with T.Else():\n        pass\n    with T.Then():\n        pass",
        "behind T.Else",
    ),
    "two else": (
        "TL103",
        "with T.If(n > 1):\n    with T.Else():\n        pass\n    with T.Else():\n        pass",
        "for a second time",
    ),
    "outside the branches": (
        "TL103",
        "with T.If(n > 1):\n    T.copy(a, b)",
        "holds a statement outside its branches",
    ),
    "no condition": ("TL125", "with T.If(n), T.Then():\n    pass", "an int32 scalar"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(refuse: Callable[[str], TLError], name: str) -> None:
    code, lines, words = REFUSED[name]
    error = refuse(lines)
    assert (error.code, words in str(error)) == (code, True), str(error)
