"""Reading the text of a pipeline."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.pipeline.pipeline_text import parse_options, parse_pipeline


def _pairs(text: str) -> list[tuple[str, dict[str, str]]]:
    return [(one.name, one.options) for one in parse_pipeline(text)]


def test_a_list_of_names() -> None:
    assert _pairs("cse, hivm-plan-memory") == [("cse", {}), ("hivm-plan-memory", {})]


def test_an_empty_pipeline() -> None:
    assert _pairs("") == []
    assert _pairs("builtin.module()") == []


def test_brackets_of_modules_and_functions_are_opened() -> None:
    text = "builtin.module(\n a, func.func( b{x=1}, c ),\n d)"
    assert _pairs(text) == [("a", {}), ("b", {"x": "1"}), ("c", {}), ("d", {})]


def test_options() -> None:
    text = 'a{b-c=true d e="1,2 3" f={g=1 h=2}},b'
    assert _pairs(text)[0] == ("a", {"b-c": "true", "d": "true", "e": "1,2 3", "f": "g=1 h=2"})
    assert _pairs(text)[1] == ("b", {})


def test_options_alone() -> None:
    assert parse_options("x=1 y") == {"x": "1", "y": "true"}


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("a,", 3, "the name of a pass"),
        ("a b", 3, "not part of a pipeline"),
        ("builtin.module(a", 17, "the bracket of builtin.module is not closed"),
        ("a{x=1", 2, "the braces of the options are not closed"),
        ("a)", 2, "not part of a pipeline"),
    ],
)
def test_what_is_no_pipeline(text: str, column: int, why: str) -> None:
    with pytest.raises(TLError, match=why) as raised:
        parse_pipeline(text)
    assert raised.value.code == "TL321"
    assert raised.value.diagnostic.labels[0].span.column == column


def test_the_caret_stands_in_the_right_line() -> None:
    with pytest.raises(TLError) as raised:
        parse_pipeline("a,\n  b,\n  ;")
    span = raised.value.diagnostic.labels[0].span
    assert (span.line, span.column) == (3, 3)
