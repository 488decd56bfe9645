"""Loop forms beside T.serial."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

Body = Callable[[str], T.PrimFunc]
SAME = {
    "unroll": ("for i in T.unroll(4):", "for i in T.serial(4):"),
    "unroll from": ("for i in T.unroll(1, n):", "for i in T.serial(1, n):"),
    "vectorized": ("for i in T.vectorized(4):", "for i in T.serial(4):"),
    "parallel": ("for i in T.parallel(4):", "for i in T.Parallel(4):"),
    "grid of one": ("for i in T.grid(4):", "for i in T.serial(4):"),
    "annotations": ("for i in T.serial(4, annotations={}):", "for i in T.serial(4):"),
}


@pytest.mark.parametrize("name", SAME)
def test_it_means_a_loop_of_the_language(body: Body, name: str) -> None:
    form, plain = (f"{head}\n    a[i, 0] = 1.0" for head in SAME[name])
    form = form.replace("annotations={}", "annotations=None")
    assert body(form).script() == body(plain).script()


def test_grid_nests(body: Body) -> None:
    form = "for i, j in T.grid(4, n):\n    a[i, j] = 1.0"
    plain = "for i in T.serial(4):\n    for j in T.serial(n):\n        a[i, j] = 1.0"
    assert body(form).script() == body(plain).script()


REFUSED = {
    "threads": ("TL103", "for i in T.thread_binding(32, thread='threadIdx.x'):\n    pass"),
    "no extent": ("TL109", "for i in T.grid():\n    pass"),
    "no number": ("TL120", "for i in T.unroll(1.5):\n    pass"),
    "one name for two loops": ("TL127", "for i in T.grid(2, 3):\n    pass"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(refuse: Callable[[str], TLError], name: str) -> None:
    code, lines = REFUSED[name]
    assert refuse(lines).code == code
