from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tlcourse import widgets
from tlcourse.records import PassTrace
from tlcourse.widgets.diff import diff_texts
from tlcourse.widgets.explorer import (
    explorer_state,
    export_html,
    page,
    steps,
    summary,
    viewer_script,
)
from tlcourse.widgets.lines import split_places

MakeTrace = Callable[..., PassTrace]


def unpacked(trace: PassTrace, language: Any = "en") -> dict[str, Any]:
    return json.loads(gzip.decompress(base64.b64decode(explorer_state(trace, language))))


def lines_of(state: dict[str, Any], text: int) -> list[str]:
    """The lines of a text, as the viewer puts them together."""
    filled = state["lines"].split("\n") if state["lines"] else []
    found: list[str] = []
    flat = state["texts"][text]
    for first, count in zip(flat[0::2], flat[1::2], strict=True):
        for entry in filled[first : first + count]:
            number, *names = entry.split(" ")
            first_part, *parts = state["templates"][int(number)].split("\x7f")
            pairs = zip(names, parts, strict=True)
            found.append(first_part + "".join(f"%{name}{part}" for name, part in pairs))
    return found


def test_state_gives_every_text_back(trace: PassTrace) -> None:
    state = unpacked(trace)
    for snapshot, step in zip(trace.snapshots, state["passes"], strict=True):
        if snapshot.text_id in trace.texts:
            bare = split_places(trace.texts[snapshot.text_id])[0]
            assert lines_of(state, step["texts"][1]) == bare.splitlines()


def test_each_text_is_stored_once(trace: PassTrace) -> None:
    state = unpacked(trace)
    assert len(state["texts"]) == 3
    assert [step["texts"] for step in state["passes"]] == [[-1, 0], [0, 1], [1, 1], [1, 2], [2, 2]]


def test_statuses_and_op_changes(trace: PassTrace) -> None:
    state = unpacked(trace)
    statuses = [step["status"] for step in state["passes"]]
    assert statuses == ["input", "changed", "unchanged", "changed", "failed"]
    assert state["passes"][1]["ops"] == [["load", 1], ["memref.copy", -1]]
    assert state["passes"][4]["notes"] == ["gave up at %0"]


def test_packed_rows_follow_the_difference(trace: PassTrace, ir: dict[str, str]) -> None:
    packed = unpacked(trace)["passes"][1]["rows"]
    rows = diff_texts(split_places(ir["input"])[0], split_places(ir["loaded"])[0])
    assert [row.kind for row in rows] == [*["same"] * 4, "removed", "added", *["same"] * 3]
    assert packed == [[0, 4], [1, 1], [2, 1], [0, 3]]


def test_changed_row_packs_its_stretches(trace: PassTrace) -> None:
    packed = unpacked(trace)["passes"][3]["rows"]
    kind, *numbers = next(item for item in packed if item[0] == 3)
    before = "    %0 = memref.alloc() : memref<64xf16>"
    assert kind == 3
    assert numbers == [len(before) - 1, 0, len(", ub"), 0]


def test_lines_know_their_place_in_the_source(trace: PassTrace) -> None:
    state = unpacked(trace)
    alloc = lines_of(state, 0).index("    %0 = memref.alloc() : memref<64xf16>")
    assert state["places"][alloc] == [0, 3]
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
    assert explorer_state(trace) == explorer_state(trace)


def test_summary_names_failures(trace: PassTrace) -> None:
    assert summary(trace) == "2 of 4 passes changed the IR, 1 failed"
    assert summary(trace, "zh") == "4 个 pass 中 2 个改变了 IR, 1 个失败"


def test_empty_trace_has_a_state(make_trace: MakeTrace) -> None:
    state = unpacked(make_trace())
    assert state["passes"] == []
    assert state["lines"] == ""


def ir_text(rng: random.Random, functions: list[list[str]]) -> str:
    """Functions of op lines with values numbered through, as MLIR prints them."""
    lines: list[str] = []
    for number, ops in enumerate(functions):
        lines.append(f"  func.func @f{number}(%arg0: memref<1024xf16>) {{")
        for value, op in enumerate(ops):
            lines.append(f"    %{value} = {op} %arg0 : memref<16x64xf16>")
        lines.append("  }")
    return "\n".join(["module {", *lines, "}"])


def test_state_of_150_passes_of_500_lines_stays_small(make_trace: MakeTrace) -> None:
    rng = random.Random(0)
    names = ["hivm.hir.load", "hivm.hir.vadd", "memref.subview", "arith.addi", "hivm.hir.vexp"]
    functions = [[rng.choice(names) for _ in range(60)] for _ in range(8)]
    passes = [("npuir", "input", "changed", ir_text(rng, functions))]
    for number in range(150):
        changes = number % 5 == 0  # one real pass in five to fourteen changes the IR
        for _ in range(12 if changes else 0):
            ops = rng.choice(functions)
            ops.insert(rng.randrange(len(ops)), rng.choice(names))
            ops.pop(rng.randrange(len(ops)))
        status = "changed" if changes else "unchanged"
        passes.append(("npuir", f"pass-{number}", status, ir_text(rng, functions)))
    assert len(passes[0][3].splitlines()) == 498
    assert len(explorer_state(make_trace(*passes))) <= 60_000


def test_page_is_one_file_without_any_address(trace: PassTrace, tmp_path: Path) -> None:
    path = export_html(trace, tmp_path / "out.html")
    text = path.read_text(encoding="utf-8")
    assert text == page(trace)
    assert not re.search(r"https?:|//[a-z]+\.|\bimport\b[ (]|\bsrc=|<link|@import", text)
    assert "default-src 'none'" in text
    assert "export default" not in text


def test_page_escapes_names_in_its_head(make_trace: MakeTrace) -> None:
    text = page(make_trace(("tir", "input", "changed", "a.b"), kernel="</title><b>"))
    assert "<title>&lt;/title&gt;&lt;b&gt;" in text


def test_viewer_is_small_and_asks_for_nothing() -> None:
    script = viewer_script()
    assert len(script.encode()) <= 40_000
    assert not re.search(r"https?:|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\b[ (]", script)


@pytest.mark.parametrize("name", ["common.js", "passes_parts.js", "passes.js", "page.js"])
def test_scripts_stay_readable(name: str) -> None:
    text = (Path(widgets.__file__).parent / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
