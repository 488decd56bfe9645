"""Symbols read from shapes: bare dimensions first, then a * s + b."""

from __future__ import annotations

import pytest

from tlcourse.jit.symbols import bind
from tlcourse.records import Parameter


def _tensor(name: str, *extents: str) -> Parameter:
    return Parameter(name=name, dtype="float16", kind="tensor", extents=extents)


def test_bare_dimension_wins_over_an_earlier_expression() -> None:
    origins = bind(["N"], [(_tensor("A", "2 * N"), (8,)), (_tensor("B", "16", "N"), (16, 5))])
    origin = origins["N"]
    assert (origin.value, origin.parameter.name, origin.dimension) == (5, "B", 1)


@pytest.mark.parametrize(
    ("extent", "size", "value"),
    [
        ("2 * N + 2", 8, 3),
        ("N * 4 - 1", 11, 3),
        ("(N + 1) * 3", 12, 3),
        ("-N + 10", 7, 3),
        ("N + N", 6, 3),
    ],
)
def test_expression_of_one_symbol_is_solved(extent: str, size: int, value: int) -> None:
    assert bind(["N"], [(_tensor("A", extent), (size,))])["N"].value == value


@pytest.mark.parametrize(
    ("extent", "size"),
    [("2 * N", 7), ("N * N", 9), ("N // 2", 4), ("M * N", 8), ("min(N, 4)", 4), ("8", 8)],
    ids=["odd", "square", "quotient", "two symbols", "min", "number"],
)
def test_what_cannot_be_solved_is_left_out(extent: str, size: int) -> None:
    assert bind(["N"], [(_tensor("A", extent), (size,))]) == {}


def test_each_symbol_takes_its_own_dimension() -> None:
    origins = bind(["M", "N"], [(_tensor("A", "M", "N"), (3, 4)), (_tensor("B", "N", "M"), (9, 9))])
    assert {name: origin.value for name, origin in origins.items()} == {"M": 3, "N": 4}
