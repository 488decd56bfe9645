"""Facts of a timeline, compared with the timeline itself and with what the kernel must do."""

from __future__ import annotations

import pytest

from tlcourse.grading.facts import answer_of
from tlcourse.grading.timeline_facts import _timeline


@pytest.mark.parametrize(
    ("lane", "rank", "answer"),
    [
        ("aic.MTE2", "1", "MTE3 1 hand-over"),  # weights, stored by a vector core
        ("aiv0.MTE2", "1", "FIX 2 hand-over"),  # weighted values, stored by the cube core
        ("aiv0.MTE2", "2", "FIX 0 hand-over"),  # scores
        ("aic.M", "1", "MTE1 - load"),
        ("aiv0.V", "1", "V - order"),
        ("aiv0.MTE3", "1", "V - result"),
    ],
)
def test_a_gap_is_named_by_pipe_flag_and_cause(lane: str, rank: str, answer: str) -> None:
    assert answer_of("gap", ("attention", lane, rank)) == answer


def test_a_lane_of_work_inside_one_core_waits_for_no_flag() -> None:
    timeline = _timeline("attention")
    inner = [gap.cause for gap in timeline.bubbles if gap.lane == "aic.M"]
    assert inner
    assert not any(" core" in cause for cause in inner)


@pytest.mark.parametrize(
    "kernel", ["minicv_64x64_deep", "minicv_128x128", "minicv_256x32", "minicv_16x16"]
)
def test_the_bound_is_the_busiest_lane_against_the_time_behind_the_launch(kernel: str) -> None:
    timeline = _timeline(kernel)
    busy = {f"{lane.agent}.{lane.pipe}": lane.busy_cycles for lane in timeline.lanes}
    name = max(busy, key=lambda lane: busy[lane])
    share = busy[name] / (timeline.cycles - timeline.launch_cycles)
    manner = "steady" if share >= 0.8 else "turns"
    assert answer_of("bound", (kernel,)) == f"{name.partition('.')[2]} {manner}"


def test_the_four_sizes_are_not_bound_alike() -> None:
    kernels = ("minicv_64x64_deep", "minicv_128x128", "minicv_16x16")
    assert len({answer_of("bound", (kernel,)) for kernel in kernels}) == 3


def test_an_unknown_kernel_is_told() -> None:
    with pytest.raises(KeyError):
        answer_of("bound", ("nothing",))
