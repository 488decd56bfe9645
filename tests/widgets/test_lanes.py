from __future__ import annotations

from dataclasses import replace

from tlcourse.records import Timeline
from tlcourse.widgets.lanes import caption, first_block, timeline_rows, timeline_table


def test_lanes_of_the_first_block_in_the_order_of_the_data(timeline: Timeline) -> None:
    rows = timeline_rows(timeline)
    assert [row.pipe for row in rows] == ["MTE2", "M", "FIX"]
    assert [len(row.instructions) for row in rows] == [2, 1, 1]
    assert [bubble.cause for bubble in rows[1].bubbles] == ["nd2nz on MTE2, line 4"]


def test_another_block_can_be_chosen(timeline: Timeline) -> None:
    (row,) = timeline_rows(timeline, 1)
    assert [item.id for item in row.instructions] == [4]


def test_first_block_need_not_be_zero(timeline: Timeline) -> None:
    later = tuple(replace(item, block=item.block + 5) for item in timeline.instructions)
    assert first_block(replace(timeline, instructions=later)) == 5


def test_table_gives_busy_share_of_the_whole_launch(timeline: Timeline) -> None:
    head, rows = timeline_table(timeline)
    assert head[0] == "lane"
    assert rows == (
        ("aic MTE2", "2", "1,200", "30.0%", "0", ""),
        ("aic CUBE", "1", "900", "22.5%", "1,000", "nd2nz on MTE2, line 4 (1,000)"),
        ("aic FIXP", "1", "500", "12.5%", "0", ""),
    )


def test_lane_without_a_record_counts_what_is_shown(timeline: Timeline) -> None:
    assert timeline_rows(replace(timeline, lanes=()))[0].busy_cycles == 1000


def test_caption(timeline: Timeline) -> None:
    assert caption(timeline) == "minicv: 4,000 cycles, 2.16 us on Ascend910B1; block 0 shown"
