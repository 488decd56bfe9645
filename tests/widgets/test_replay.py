"""A replay as tables."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tlcourse.diagnostics import Span, TLError
from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets.replay import ReplayView, buffers_at, steps_table
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
            changes=(change("B", "GM", "0, 0", "2.718, 7.389"),),
        ),
    ),
)


def test_a_tile_keeps_what_was_written_last() -> None:
    head, rows = buffers_at(REPLAY, 2)
    assert head[1:5] == ("core", "memory", "buffer", "shape")
    assert rows == (("*", "aiv0", "UB", "a_ub", "2", "1, 2", "2.718, 7.389"),)
    _, rows = buffers_at(REPLAY, 3)
    assert rows == (
        ("*", "", "GM", "B", "2", "0, 0", "2.718, 7.389"),
        ("", "aiv0", "UB", "a_ub", "2", "", "2.718, 7.389"),
    )


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
    assert lines[0] == "step 1 / 3: aiv0 MTE2 set_flag"
    assert lines[-1] == "flags that are up: flag 0"
    assert repr(view.at(99)).startswith("step 3 / 3: aiv0 MTE3 store")
    assert repr(view.at(-5)).startswith("step 0 / 3: aiv0 MTE2 load [1, 2], line 7")
    page = view.export_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "all 4 steps, 5 more left out" in page
    assert "回放" in ReplayView(REPLAY, 1, "zh").export_html(tmp_path / "z.html").read_text(
        encoding="utf-8"
    )


def test_show_replay_of_a_kernel_and_of_a_record() -> None:
    kernel = SimpleNamespace(last_launch=SimpleNamespace(replay=REPLAY))
    assert show_replay(kernel).step == 3
    assert show_replay(REPLAY, 1).step == 1
    with pytest.raises(TLError, match="no step 4 to show") as caught:
        show_replay(kernel, 4)
    assert caught.value.code == "TL731"
    with pytest.raises(TLError, match="wrote down 0 steps"):
        show_replay(SimpleNamespace(last_launch=SimpleNamespace(replay=None)))
