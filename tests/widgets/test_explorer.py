from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from tlcourse import widgets
from tlcourse.bench.made_ir import made_trace
from tlcourse.records import PassTrace
from tlcourse.widgets.diff import diff_texts
from tlcourse.widgets.exhibit import exhibit
from tlcourse.widgets.explorer import explorer_state, export_html, page, viewer_script
from tlcourse.widgets.lines import split_places
from tlcourse.widgets.steps import steps, summary

SCRIPTS = [one.name for one in Path(widgets.__file__).parent.glob("*.js")]
SAME, REMOVED, ADDED, CHANGED, RENAMED, MOVED_AWAY, MOVED_HERE = range(7)
MakeTrace = Callable[..., PassTrace]


def unpacked(trace: PassTrace, language: Any = "en") -> dict[str, Any]:
    state = explorer_state(exhibit(trace, language))
    return json.loads(gzip.decompress(base64.b64decode(state)))


def passes_of(trace: PassTrace) -> list[dict[str, Any]]:
    state = unpacked(trace)
    passes = state["tracks"][0]["passes"]
    for one in passes:
        one.setdefault("rows", state["texts"][one["texts"][1]][1])
    return passes


def names_of(words: list[str], numbering: dict[str, Any], copied: list[str] | None) -> list[str]:
    names: list[str] = []
    after = numbering["expected"]
    for k, word in enumerate(words):
        if word[:1] == ":":
            names.append(word[1:])
        elif word[:1] in ("", "="):
            names.append(word[1:] or str(after))
            after = int(names[-1]) + 1
        elif copied is not None:
            names.append(numbering["now"].get(copied[k], copied[k]))
        elif re.fullmatch(r"-?\d+", word):
            names.append(str(numbering["expected"] - int(word)))
        else:
            names.append(word.removeprefix("~"))
    numbering["expected"] = after
    return names


def records_of(state: dict[str, Any], text: int) -> list[tuple[int, list[str]]]:
    """The lines of a text as (entry, names), as the viewer makes them."""
    if text < 0:
        return []
    entries = [entry.split(" ")[1:] for entry in state["lines"].split("\n")]
    from_text, rows, backs, distances = state["texts"][text]
    base = records_of(state, from_text)
    first = sum(one[2].count(0) for one in state["texts"][:text])
    numbering: dict[str, Any] = {"expected": 0, "now": {}}
    odd = set(accumulate(distances))
    found: list[tuple[int, list[str]]] = []
    fresh_entries = [first + backs[:k].count(0) for k in range(len(backs))]
    new = iter([fresh - back for fresh, back in zip(fresh_entries, backs, strict=True)])

    def fresh(record: tuple[int, list[str]]) -> list[str]:
        return [
            n for n, w in zip(record[1], entries[record[0]], strict=True) if w[:1] in ("", "=", ":")
        ]

    def put(entry: int, copied: Any = None, partner: Any = None) -> None:
        found.append((entry, names_of(entries[entry], numbering, copied and copied[1])))
        if partner:
            numbering["now"] |= dict(zip(fresh(partner), fresh(found[-1]), strict=False))

    number = 0
    for kind, *rest in rows:
        for _ in range(1 if kind == CHANGED else rest[0]):
            if kind in (REMOVED, MOVED_AWAY):
                base.pop(0)
            elif kind in (ADDED, MOVED_HERE):
                put(next(new))
            elif kind == CHANGED or number in odd:
                put(next(new), None, base.pop(0))
            else:
                line = base.pop(0)
                put(line[0], line, line)
            number += 1
    assert base == []
    assert list(new) == []
    return found


def lines_of(state: dict[str, Any], text: int) -> list[tuple[str, int]]:
    """The lines of a text with their entries."""
    entries = [entry.split(" ") for entry in state["lines"].split("\n")]
    found: list[tuple[str, int]] = []
    for entry, names in records_of(state, text):
        head, *parts = state["templates"][int(entries[entry][0])].split("\x7f")
        pairs = zip(names, parts, strict=True)
        found.append((head + "".join(f"%{name}{part}" for name, part in pairs), entry))
    return found


def bare_lines_of(state: dict[str, Any], text: int) -> list[str]:
    return [line for line, _ in lines_of(state, text)]


def test_state_gives_every_text_back(trace: PassTrace) -> None:
    state = unpacked(trace)
    for snapshot, step in zip(trace.snapshots, state["tracks"][0]["passes"], strict=True):
        if snapshot.text_id in trace.texts:
            bare = split_places(trace.texts[snapshot.text_id])[0]
            assert bare_lines_of(state, step["texts"][1]) == bare.splitlines()


def test_each_text_is_stored_once(trace: PassTrace) -> None:
    assert len(unpacked(trace)["texts"]) == 3
    texts = [step["texts"] for step in passes_of(trace)]
    assert texts == [[-1, 0], [0, 1], [1, 1], [1, 2], [2, 2]]


def test_statuses_and_op_changes(trace: PassTrace) -> None:
    passes = passes_of(trace)
    statuses = [step["status"] for step in passes]
    assert statuses == ["input", "changed", "unchanged", "changed", "failed"]
    assert passes[1]["ops"] == [["load", 1], ["memref.copy", -1]]
    assert passes[4]["notes"] == ["gave up at %0"]


def test_packed_rows_follow_the_difference(trace: PassTrace, ir: dict[str, str]) -> None:
    packed = passes_of(trace)[1]["rows"]
    rows = diff_texts(split_places(ir["input"])[0], split_places(ir["loaded"])[0])
    assert [row.kind for row in rows] == [*["same"] * 4, "removed", "added", *["same"] * 3]
    assert packed == [[0, 4], [1, 1], [2, 1], [0, 3]]


def test_changed_row_packs_its_stretches(trace: PassTrace) -> None:
    packed = passes_of(trace)[3]["rows"]
    kind, *numbers = next(item for item in packed if item[0] == 3)
    before = "    %0 = memref.alloc() : memref<64xf16>"
    assert kind == 3
    assert numbers == [len(before) - 1, 0, len(", ub"), 0]


def test_lines_know_their_place_in_the_source(trace: PassTrace) -> None:
    state = unpacked(trace)
    wanted = "    %0 = memref.alloc() : memref<64xf16>"
    (entry,) = [entry for line, entry in lines_of(state, 0) if line == wanted]
    assert state["places"][entry] == [0, 3]
    assert state["sources"][0][0] == "this cell"


def test_texts_without_locations_have_no_places(make_trace: MakeTrace) -> None:
    trace = make_trace(("tir", "input", "changed", "a.b"), ("tir", "p", "changed", "a.c"))
    assert unpacked(trace)["places"] == []


def test_locations_alone_are_no_change(make_trace: MakeTrace) -> None:
    trace = make_trace(
        ("tir", "input", "changed", 'a.b loc("cell:1":1:1)'), ("tir", "p", "unchanged", "a.b")
    )
    assert steps(trace)[1].rows == ()


def test_equal_traces_give_equal_state(trace: PassTrace) -> None:
    assert explorer_state(exhibit(trace)) == explorer_state(exhibit(trace))


def test_summary_names_failures(trace: PassTrace) -> None:
    assert summary(trace) == "2 of 4 passes changed the IR, 1 failed"
    assert summary(trace, "zh") == "4 个 pass 中 2 个改变了 IR, 1 个失败"


def test_empty_trace_has_a_state(make_trace: MakeTrace) -> None:
    state = unpacked(make_trace())
    assert state["tracks"][0]["passes"] == []
    assert state["lines"] == ""


@pytest.mark.parametrize("every", [1, 5])
def test_state_of_150_passes_of_500_lines_stays_small(every: int) -> None:
    # one real pass in three to fourteen changes the IR
    trace = made_trace(ops=60, passes=150, every=every, changes=12)
    last_text = trace.texts[trace.snapshots[-1].text_id]
    assert len(last_text.splitlines()) == 498
    assert len(explorer_state(exhibit(trace))) <= 60_000
    state = unpacked(trace)
    last = state["tracks"][0]["passes"][-1]["texts"][1]
    assert bare_lines_of(state, last) == last_text.splitlines()


def test_page_is_one_file_without_any_address(trace: PassTrace, tmp_path: Path) -> None:
    path = export_html(trace, tmp_path / "out.html")
    text = path.read_text(encoding="utf-8")
    assert text == page(exhibit(trace))
    assert not re.search(r"https?:|//[a-z]+\.|\bimport\b[ (]|\bsrc=|<link|@import", text)
    assert "default-src 'none'" in text
    assert "export default" not in text


def test_page_escapes_names_in_its_head(make_trace: MakeTrace) -> None:
    text = page(exhibit(make_trace(("tir", "input", "changed", "a.b"), kernel="</title><b>")))
    assert "<title>&lt;/title&gt;&lt;b&gt;" in text


def test_viewer_is_small_and_asks_for_nothing() -> None:
    script = viewer_script()
    assert len(script.encode()) <= 40_000
    assert not re.search(r"https?:|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\b[ (]", script)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_stay_readable(name: str) -> None:
    text = (Path(widgets.__file__).parent / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 400
