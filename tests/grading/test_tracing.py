"""What calling a learner's function gives, before anybody judges it."""

from __future__ import annotations

import json

import pytest

from tests.grading.hand_ins import EXPERT
from tlcourse.grading.sealed import from_text
from tlcourse.grading.tracing import Attempt, Order, attempt_all

ORDER = Order(
    exercise="d2.minicv",
    spec_version=1,
    entry="minicv",
    names=("M", "N", "K"),
    bindings=({"M": 64, "N": 64, "K": 64}, {"M": 128, "N": 64, "K": 64}),
)


def _attempts(monkeypatch: pytest.MonkeyPatch, source: str) -> tuple[Attempt, ...]:
    import linecache

    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
    text = f"import os\nimport tilelang\nimport tilelang.language as T\n{source}"
    linecache.cache["<traced>"] = (len(text), None, text.splitlines(keepends=True), "<traced>")
    names: dict[str, object] = {}
    exec(compile(text, "<traced>", "exec"), names)
    return attempt_all(ORDER, names["minicv"])


def test_each_case_is_sealed_with_its_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (from_text(a.document) for a in _attempts(monkeypatch, EXPERT))
    assert (first.binding, second.binding) == ORDER.bindings
    assert first.exercise == "d2.minicv"
    assert '"Expert"' in first.text
    assert first.sha256 != second.sha256


def test_no_path_and_no_time_is_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    document = _attempts(monkeypatch, EXPERT)[0].document
    header = json.loads(document.partition("\n")[0])
    assert all(name.startswith("cell:") or "/" not in name for name in header["sources"])
    assert document == _attempts(monkeypatch, EXPERT)[0].document


def test_a_prim_func_alone_is_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = EXPERT.replace('@tilelang.jit(out_idx=[2, 3], target="npuir")\n', "")
    states = {attempt.state for attempt in _attempts(monkeypatch, bare)}
    assert states == {"sealed"}


@pytest.mark.parametrize(
    ("body", "state", "kind", "line"),
    [
        ("raise NotImplementedError", "untouched", "", None),
        ("return len(3)", "raised", "TypeError", 5),
        ("return 3", "refused", "", None),
        ("return", "refused", "", None),
    ],
)
def test_other_ends(
    monkeypatch: pytest.MonkeyPatch, body: str, state: str, kind: str, line: int | None
) -> None:
    found = _attempts(monkeypatch, f"def minicv(M, N, K):\n    {body}\n")
    assert [(a.state, a.kind, a.line) for a in found] == [(state, kind, line)] * 2


def test_a_fault_in_one_case_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    source = EXPERT.replace("    n_num =", "    assert M != 64\n    n_num =")
    assert [a.state for a in _attempts(monkeypatch, source)] == ["raised", "sealed"]
