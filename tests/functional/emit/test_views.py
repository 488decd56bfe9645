"""Strided views as text."""

from __future__ import annotations

import torch

from tlcourse.functional.emit.views import (
    View,
    drop,
    lift,
    part,
    root,
    row_major,
    stretch,
    times,
    transpose,
)

STORE = torch.arange(2 * 3 * 4).view(2, 3, 4)


def whole(shape: tuple[int | str, ...] = (2, 3, 4), base: str = "") -> View:
    return root(tensor="X", label="x", dtype="int64", shape=shape, base=base)


def made(view: View, **names: int) -> torch.Tensor:
    return eval(view.text(), {"X": STORE, **names})


def test_whole_tensor_needs_no_view() -> None:
    assert whole().text() == "X"
    assert part(whole(), [0, 0, 0], [2, 3, 4]).text() == "X"


def test_parts_of_parts() -> None:
    first = part(whole(), [1, "i", 1], [1, 2, 3])
    second = part(first, [0, 1, "j"], [1, 1, 2])
    assert torch.equal(made(first, i=1), STORE[1:2, 1:3, 1:4])
    assert torch.equal(made(second, i=1, j=1), STORE[1:2, 2:3, 2:4])


def test_dimensions_come_and_go() -> None:
    row = part(whole(), [1, 0, 0], [1, 3, 4])
    assert torch.equal(made(drop(row, [0])), STORE[1])
    assert torch.equal(made(lift(drop(row, [0]), 3)), STORE[1:2])
    assert torch.equal(made(stretch(row, [0], [5])), STORE[1:2].expand(5, 3, 4))
    assert torch.equal(made(transpose(drop(row, [0]))), STORE[1].t())
    assert lift(row, 2) is row
    assert drop(row, []) is row
    assert stretch(row, [], []) is row


def test_names_stay_in_the_text() -> None:
    view = part(whole((2, "n", 4), base="X_at"), [1, 0, 0], [1, "n", 4])
    assert view.text() == "X.as_strided((1, n, 4), (4 * n, 4, 1), X_at + 4 * n)"
    assert view.position() == "X_at + 4 * n"


def test_strides_and_products() -> None:
    assert row_major(("m", 3, 4)) == (12, 4, 1)
    assert row_major((8,)) == (1,)
    assert [times(0, "a"), times("a", 1), times(2, 3), times("a", 4)] == [0, "a", 6, "a * 4"]
