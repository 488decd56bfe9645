"""Foreign data are taken only where every value has its type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pytest

from tlcourse.grading import strict


@dataclass(frozen=True, kw_only=True)
class Inner:
    line: int


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: str
    kind: Literal["a", "b"]
    sizes: dict[str, int] = field(default_factory=dict)
    inner: Inner | None = None
    items: tuple[Inner, ...] = ()


def test_what_fits_is_read() -> None:
    data = {"schema": "x", "name": "n", "kind": "a", "sizes": {"M": 1}, "items": [{"line": 2}]}
    want = Outer(name="n", kind="a", sizes={"M": 1}, items=(Inner(line=2),))
    assert strict.read(Outer, data) == want
    assert strict.read(Outer, {"name": "n", "kind": "b", "inner": None}).inner is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "it is a table"),
        ([], "it is a table"),
        ({1: 2}, "it is a table"),
        ({"name": "n"}, "it lacks kind"),
        ({"name": 3, "kind": "a"}, "it.name is of type str, not int"),
        ({"name": "n", "kind": "c"}, "it.kind is one of a, b, not 'c'"),
        ({"name": "n", "kind": ["a"]}, "it.kind is one of"),
        ({"name": "n", "kind": "a", "x": 1}, "unknown keys: x"),
        ({"name": "n", "kind": "a", "sizes": {"M": True}}, "it.sizes.M is of type int, not bool"),
        ({"name": "n", "kind": "a", "sizes": 3}, "it.sizes is a table"),
        ({"name": "n", "kind": "a", "items": "ab"}, "it.items is a list"),
        ({"name": "n", "kind": "a", "items": [{"line": 1.5}]}, r"it.items\[0\].line is of type"),
        ({"name": "n", "kind": "a", "inner": 3}, "it.inner is a table"),
    ],
)
def test_what_does_not_fit_is_named(data: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        strict.read(Outer, data)
