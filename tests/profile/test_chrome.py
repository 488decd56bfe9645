from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from tlcourse.profile import Profile
from tlcourse.profile.chrome import chrome_trace

NUMBER = {"type": "number", "minimum": 0}
WHERE = {"pid": {"type": "integer"}, "tid": {"type": "integer"}, "ts": NUMBER}


def _event(phase: str, *more: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"ph": {"const": phase}, "name": {"type": "string"}, **WHERE, **properties},
        "required": ["ph", "name", "pid", "tid", "ts", *more],
    }


# The parts of the Trace Event Format that are used, each with the fields it demands.
SCHEMA = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "traceEvents": {
            "type": "array",
            "items": {
                "oneOf": [
                    _event("X", "dur", dur=NUMBER, args={"type": "object"}),
                    _event("M", "args", args={"type": "object", "minProperties": 1}),
                    _event("s", "id", "cat", id={"type": "integer"}),
                    _event("f", "id", "cat", "bp", id={"type": "integer"}, bp={"const": "e"}),
                ]
            },
        },
    },
}


@pytest.fixture
def trace(profile: Profile) -> dict[str, Any]:
    return json.loads(json.dumps(chrome_trace(profile.timeline, profile.cores)))


def events(trace: dict[str, Any], phase: str) -> list[dict[str, Any]]:
    return [one for one in trace["traceEvents"] if one["ph"] == phase]


def test_follows_the_trace_event_format(trace: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(trace)


def test_a_lane_for_every_pipe_of_every_core(trace: dict[str, Any]) -> None:
    names = {
        (one["pid"], one["name"]): one["args"]["name"]
        for one in events(trace, "M")
        if one["name"] == "process_name"
    }
    lanes: dict[str, list[str]] = {}
    for one in events(trace, "M"):
        if one["name"] == "thread_name":
            core = names[one["pid"], "process_name"]
            lanes.setdefault(core, []).append(one["args"]["name"])
    vector = ["SCALAR", "VECTOR", "MTE2", "MTE3"]
    assert lanes == {
        "core0.cubecore0": ["SCALAR", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP"],
        "core0.veccore0": vector,
        "core0.veccore1": vector,
    }


def test_a_flow_for_every_set_and_wait(profile: Profile, trace: dict[str, Any]) -> None:
    pairs = sum(len(one.waits_on) for one in profile.timeline.instructions)
    assert pairs > 5
    starts, ends = events(trace, "s"), events(trace, "f")
    assert len(starts) == len(ends) == pairs
    assert [one["id"] for one in starts] == [one["id"] for one in ends] == list(range(pairs))
    slices = {(one["pid"], one["tid"], one["ts"]) for one in events(trace, "X")}
    assert all((one["pid"], one["tid"], one["ts"]) in slices for one in ends)
    assert all(start["ts"] <= end["ts"] for start, end in zip(starts, ends, strict=True))


def test_a_flow_starts_inside_the_slice_that_sets(trace: dict[str, Any]) -> None:
    for start in events(trace, "s"):
        assert any(
            (one["pid"], one["tid"]) == (start["pid"], start["tid"])
            and one["ts"] <= start["ts"] <= one["ts"] + one["dur"]
            for one in events(trace, "X")
        )


def test_slices_of_a_lane_do_not_overlap(trace: dict[str, Any]) -> None:
    lanes: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for one in events(trace, "X"):
        lanes.setdefault((one["pid"], one["tid"]), []).append((one["ts"], one["ts"] + one["dur"]))
    for spans in lanes.values():
        spans.sort()
        assert all(a[1] <= b[0] + 1e-5 for a, b in pairwise(spans))


def test_every_instruction_with_its_line_and_bytes(profile: Profile, trace: dict[str, Any]) -> None:
    slices = events(trace, "X")
    assert Counter(one["name"] for one in slices) == Counter(
        one.op for one in profile.timeline.instructions
    )
    load = next(one for one in slices if one["name"] == "nd2nz")
    assert load["args"]["bytes"] == 64 * 64 * 2
    assert load["args"]["line"] > 0
    assert load["args"]["code"].endswith(f"minicv.py:{load['args']['line']}")


def test_insight_finds_its_mark_before_the_first_bracket(trace: dict[str, Any]) -> None:
    text = json.dumps(trace)
    assert '"profilingType": "op"' in text[: text.index("[")]
