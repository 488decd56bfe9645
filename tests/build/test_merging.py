"""Three sides of a notebook: each row is a cell, worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tlcourse.build.issued import cells_of
from tlcourse.build.merging import Merged, has_ids, merge

Cell = dict[str, Any]


def cell(name: str, text: str, kind: str = "code", **metadata: Any) -> Cell:
    made: Cell = {"id": name, "cell_type": kind, "metadata": metadata, "source": text}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook(*cells: Cell, language: str = "en") -> dict[str, Any]:
    about = {"tlcourse": {"language": language}}
    return {"cells": list(cells), "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def merged(old: list[Cell], mine: list[Cell], new: list[Cell], language: str = "en") -> Merged:
    base = cells_of(json.dumps(notebook(*old)).encode())
    return merge(base, notebook(*mine), notebook(*new, language=language))


def texts(result: Merged) -> dict[str, str]:
    return {c["id"]: "".join(c["source"]) for c in result.notebook["cells"]}


def told(result: Merged) -> dict[str, str]:
    return {change.cell: change.what for change in result.changes}


@pytest.mark.parametrize(
    ("old", "mine", "new", "left", "what"),
    [
        ("1", "1", "1", "1", None),
        ("1", "1", "2", "2", "new text"),
        ("1", "8", "1", "8", None),
        ("1", "8", "8", "8", None),
        ("1", "8", "2", "8", "both"),
        ("1", "1\n", "2", "2", "new text"),  # a line feed at the end is no answer
        (None, None, "2", "2", "new"),
        ("1", None, "1", None, "left out"),
        ("1", "1", None, None, "removed"),
        ("1", "8", None, "8", "gone"),
        (None, "8", None, "8", None),
        (None, "8", "2", "8", "both"),
    ],
)
def test_one_cell(
    old: str | None, mine: str | None, new: str | None, left: str | None, what: str | None
) -> None:
    result = merged(*([] if text is None else [cell("a", text)] for text in (old, mine, new)))
    assert texts(result).get("a") == left
    assert told(result).get("a") == what


def test_the_courses_text_of_an_answered_cell_comes_below_it() -> None:
    result = merged(
        [cell("a", "stub")], [cell("a", "mine"), cell("z", "own")], [cell("a", "stub 2")]
    )
    assert list(texts(result)) == ["a", "a-new-text", "z"]
    assert "````python\nstub 2\n````" in texts(result)["a-new-text"]
    assert result.notebook["cells"][1]["cell_type"] == "markdown"


def test_the_next_update_replaces_that_cell() -> None:
    first = merged([cell("a", "1")], [cell("a", "mine")], [cell("a", "2")])
    second = merged([cell("a", "2")], first.notebook["cells"], [cell("a", "3")])
    assert list(texts(second)) == ["a", "a-new-text"]
    assert "3" in texts(second)["a-new-text"]
    third = merged([cell("a", "3")], second.notebook["cells"], [cell("a", "3")])
    assert third.notebook["cells"] == second.notebook["cells"]


def test_a_chinese_notebook_is_told_in_chinese() -> None:
    result = merged([cell("a", "1")], [cell("a", "8")], [cell("a", "2")], language="zh")
    assert "课程" in texts(result)["a-new-text"]


def test_outputs_stay_with_an_unchanged_text_and_go_with_an_old_one() -> None:
    ran = [cell(name, "1") | {"outputs": ["seen"], "execution_count": 3} for name in ("a", "b")]
    result = merged([cell("a", "1"), cell("b", "1")], ran, [cell("a", "1"), cell("b", "2")])
    assert [c["outputs"] for c in result.notebook["cells"]] == [["seen"], []]


def test_metadata_of_the_course_comes_in_and_that_of_the_learner_stays() -> None:
    mine = cell("a", "8", collapsed=True, tags=["old"])
    result = merged([cell("a", "1")], [mine], [cell("a", "1", tags=["new"])])
    assert result.notebook["cells"][0]["metadata"] == {"collapsed": True, "tags": ["new"]}


def test_a_deleted_cell_that_grading_needs_comes_back() -> None:
    new = [cell("a", "1", nbgrader={"grade": True}), cell("b", "1", tags=["setup"])]
    result = merged(new, [], new)
    assert told(result) == {"a": "new", "b": "new"}


def test_the_learners_cells_keep_their_neighbours() -> None:
    old = [cell(name, name) for name in "abc"]
    mine = [old[0], cell("x", "own"), old[1], old[2], cell("y", "own")]
    new = [cell(name, name) for name in "anbc"]
    assert list(texts(merged(old, mine, new))) == ["a", "x", "n", "b", "c", "y"]


def test_the_courses_order_comes_in_unless_the_learner_moved_cells() -> None:
    old = [cell(name, name) for name in "abc"]
    new = [cell(name, name) for name in "cabn"]
    assert list(texts(merged(old, old, new))) == ["c", "a", "b", "n"]
    moved = [old[1], old[0], old[2]]
    assert list(texts(merged(old, moved, new))) == ["b", "n", "a", "c"]


def test_cells_without_ids_cannot_be_told_apart() -> None:
    assert has_ids(notebook(cell("a", ""), cell("b", "")))
    assert not has_ids(notebook(cell("a", ""), cell("a", "")))
    assert not has_ids(notebook({"cell_type": "code", "metadata": {}, "source": ""}))
