"""A replay as tables."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tlcourse.diagnostics import SourceFile, Span, TLError
from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets import replay_words
from tlcourse.widgets.replay import ReplayView, buffers_at, flags_at, steps_table
from tlcourse.widgets.replay_state import replay_data
from tlcourse.widgets.replay_words import flag_words, table
from tlcourse.widgets.show import show_replay

LINE = Span(source="k", line=7, column=1, end_line=7, end_column=9)


def change(tile: str, memory: str, before: str, after: str) -> Change:
    return Change(tile=tile, memory=memory, shape="2", before=before, after=after)


REPLAY = Replay(
    kernel="k",
    block=3,
    seed=0,
    left_out=5,
    steps=(
        ReplayStep(
            index=0,
            agent="aiv0",
            pipe="MTE2",
            op="load",
            iteration=(1, 2),
            span=LINE,
            reads=("A",),
            changes=(change("a_ub", "UB", "-, -", "1, 2"),),
        ),
        ReplayStep(index=1, agent="aiv0", pipe="MTE2", op="set_flag", flags=("flag 0",)),
        ReplayStep(
            index=2,
            agent="aiv0",
            pipe="V",
            op="vexp",
            changes=(change("a_ub", "UB", "1, 2", "2.718, 7.389"),),
        ),
        ReplayStep(
            index=3,
            agent="aiv0",
            pipe="MTE3",
            op="store",
            reads=("a_ub",),
            changes=(change("B", "GM", "0, 0", "2.718, 7.389"),),
        ),
    ),
)


def test_a_tile_keeps_what_was_written_last() -> None:
    head, rows = buffers_at(REPLAY, 2)
    assert head[1:5] == ("core", "memory", "buffer", "shape")
    assert rows == (("written", "aiv0", "UB", "a_ub", "2", "1, 2", "2.718, 7.389"),)
    _, rows = buffers_at(REPLAY, 3)
    assert rows == (
        ("written", "", "GM", "B", "2", "0, 0", "2.718, 7.389"),
        ("read", "aiv0", "UB", "a_ub", "2", "2.718, 7.389", "2.718, 7.389"),
    )


def test_flags_before_and_after_a_step() -> None:
    twice = replace(REPLAY.steps[2], flags=("2 x flag 0",))
    replay = replace(REPLAY, steps=(*REPLAY.steps[:2], twice, REPLAY.steps[3]))
    assert flags_at(replay, 0)[1] == ()
    assert flags_at(replay, 1) == (
        ("this step", "flag", "before", "after"),
        (("raised", "flag 0", "down", "up"),),
    )
    assert flags_at(replay, 2)[1] == (("raised", "flag 0", "up", "up 2 times"),)
    assert flags_at(replay, 3, "zh")[1] == (("落下", "flag 0", "置起 2 次", "落下"),)


def test_the_workspace_has_a_chinese_name() -> None:
    store = replace(REPLAY.steps[3], changes=(change("the workspace", "GM", "0", "1"),))
    replay = replace(REPLAY, steps=(*REPLAY.steps[:3], store))
    assert replay_data(replay, 0, "en", {})["tiles"][0] == ["", "GM", "gm", "the workspace"]
    assert replay_data(replay, 0, "zh", {})["tiles"][0] == ["", "GM", "gm", "工作区"]
    assert buffers_at(replay, 3, "zh")[1][0][3] == "工作区"
    assert steps_table(replay, "zh")[1][3][6] == "工作区 = 1"


def test_what_the_viewer_is_told() -> None:
    source = SourceFile(id="k", text="\n" * 6 + "    T.copy(A, a_ub)\n", title="k")
    data = replay_data(REPLAY, 0, "en", {"k": source})
    assert data["tiles"] == [["", "GM", "gm", "B"], ["aiv0", "UB", "ub", "a_ub"]]
    load, _, vexp, store = data["steps"]
    assert load["said"] == "reads A; writes a_ub"
    assert (load["line"], load["code"]) == (7, "T.copy(A, a_ub)")
    assert vexp["writes"] == [[1, "2", "1, 2", "2.718, 7.389"]]
    assert vexp["said"] == "writes a_ub"
    assert store["reads"] == [1]
    assert data["steps"][1]["flags"] == [[0, 1]]
    assert data["steps"][1]["said"] == "reads and writes no tile"


def test_words_in_both_languages() -> None:
    script = (Path(replay_words.__file__).parent / "replay.js").read_text(encoding="utf-8")
    asked = set(re.findall(r"words\.(\w+)", script))
    assert len(asked) > 15
    assert asked <= table("en").keys() == table("zh").keys()
    for key, words in table("en").items():
        assert set(re.findall(r"\{\d", words)) == set(re.findall(r"\{\d", table("zh")[key])), key


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("flag 0 of MTE2 for V in aiv0", "aiv0：标志 0，MTE2 置起，V 等待"),
        ("cross-core flag 3 of the cube core for aiv1", "跨核标志 3，cube 核 置起，aiv1 等待"),
        ("cross-core flag 3 of vector core 0 for aic", "跨核标志 3，vector 核 0 置起，aic 等待"),
    ],
)
def test_a_flag_reads_in_both_languages(english: str, chinese: str) -> None:
    assert flag_words(english, "en") == english
    assert flag_words(english, "zh") == chinese


def test_all_steps() -> None:
    head, rows = steps_table(REPLAY)
    assert len(rows) == 4
    assert dict(zip(head, rows[0], strict=True)) == {
        "step": "0",
        "core": "aiv0",
        "pipe": "MTE2",
        "instruction": "load",
        "loop turn": "1, 2",
        "line": "7",
        "writes": "a_ub = 1, 2",
        "flags that are up": "",
    }


def test_the_view_at_a_step(tmp_path: Path) -> None:
    view = ReplayView(REPLAY, 1)
    lines = repr(view).splitlines()
    assert lines[0] == "step 1 of 3: aiv0 MTE2 set_flag"
    assert lines[-1] == "flags that are up: flag 0"
    assert repr(view.at(99)).startswith("step 3 of 3: aiv0 MTE3 store")
    assert repr(view.at(-5)).startswith("step 0 of 3: aiv0 MTE2 load [1, 2], line 7")
    page = view.export_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "all 4 steps, 5 more left out" in page
    assert "回放" in ReplayView(REPLAY, 1, "zh").export_html(tmp_path / "z.html").read_text(
        encoding="utf-8"
    )


def test_show_replay_of_a_kernel_and_of_a_record() -> None:
    kernel = SimpleNamespace(last_launch=SimpleNamespace(replay=REPLAY))
    assert show_replay(kernel).step == 0
    assert show_replay(kernel, -1).step == 3
    assert show_replay(REPLAY, 1).step == 1
    with pytest.raises(TLError, match="no step 4 to show") as caught:
        show_replay(kernel, 4)
    assert caught.value.code == "TL731"
    with pytest.raises(TLError, match="there is no replay to show"):
        show_replay(SimpleNamespace(last_launch=SimpleNamespace(replay=None)))
