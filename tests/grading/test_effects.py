"""Effects, seen in timelines made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tlcourse.grading.effects import EFFECTS, Record, missing
from tlcourse.grading.spec import known_ids, load
from tlcourse.grading.words import WORDS
from tlcourse.records import Instruction, Lane, MemoryMap, PlannedBuffer, Timeline
from tlcourse.simulator.cycles.stream import Total


def _record(*work: tuple[str, str, int], blocks: int = 4, replicated: int = 3) -> Record:
    """A record of one block; work is agent, pipe and bytes that go through global memory."""
    instructions = tuple(
        Instruction(
            id=i, block=0, agent=agent, pipe=pipe, op="x", start_cycle=0, end_cycle=1, bytes=count
        )
        for i, (agent, pipe, count) in enumerate(work)
    )
    lanes = tuple(
        Lane(name=f"{agent}.{pipe}", agent=agent, pipe=pipe, core=0, busy_cycles=1)
        for agent, pipe, _ in work
    )
    timeline = Timeline(
        kernel="k",
        chip="c",
        clock_mhz=1,
        cycles=1,
        launch_cycles=0,
        lanes=lanes,
        instructions=instructions,
        replicated_blocks=replicated,
    )
    return Record(timeline=timeline, blocks=blocks, output_bytes=400)


@pytest.mark.parametrize("exercise", known_ids())
def test_specs_ask_for_effects_that_there_are_and_that_have_words(exercise: str) -> None:
    asked = {effect.name for effect in load(exercise).effects}
    assert asked <= EFFECTS.keys() <= WORDS.keys()


@pytest.mark.parametrize(
    ("name", "record", "holds"),
    [
        ("both_kinds_of_core", _record(("aic", "M", 0), ("aiv0", "V", 0)), True),
        ("both_kinds_of_core", _record(("aiv0", "V", 0), ("aiv1", "V", 0)), False),
        ("both_kinds_of_core", _record(("aic", "M", 0)), False),
        ("both_vector_cores", _record(("aiv0", "MTE3", 8), ("aiv1", "MTE3", 8)), True),
        ("both_vector_cores", _record(("aiv0", "MTE3", 8), ("aiv1", "V", 0)), False),
        # 4 blocks of 100 B each are the 400 B of the outputs, once
        ("bytes_written", _record(("aic", "FIX", 50), ("aiv0", "MTE3", 50)), True),
        ("bytes_written", _record(("aic", "FIX", 100), ("aiv0", "MTE3", 51)), False),
        ("bytes_written", _record(("aiv0", "MTE2", 900), ("aiv0", "MTE3", 100)), True),
        # blocks that differ: the one that is shown does not speak for all
        ("bytes_written", _record(("aic", "FIX", 900), replicated=2), True),
    ],
)
def test_effects(name: str, record: Record, holds: bool) -> None:
    assert (missing(name, 1.5, record) is None) == holds


@pytest.mark.parametrize(
    ("name", "limit", "holds"),
    [
        ("ub_used", 75, True),  # 300 of 400 B
        ("ub_used", 76, False),
        ("ub_asked", 125, True),  # 200 + 200 + 100 of 400 B
        ("ub_asked", 126, False),
    ],
)
def test_effects_of_a_plan_ask_for_at_least(name: str, limit: float, holds: bool) -> None:
    tiles = tuple(
        PlannedBuffer(name=name, offset_bytes=offset, size_bytes=size)
        for name, offset, size in (("a", 0, 200), ("b", 0, 200), ("c", 200, 100))
    )
    plan = MemoryMap(space="ub", capacity_bytes=400, buffers=tiles)
    record = replace(_record(), memory=(plan,))
    assert (missing(name, limit, record) is None) == holds
    assert missing(name, limit, _record()) is not None  # no UB, no tiles in it


@pytest.mark.parametrize(
    ("ops", "changed"),
    [
        ({"tl.vadd": 2, "tl.copy": 3}, 0),
        ({"tl.vadd": 1, "tl.vsub": 1, "tl.copy": 3}, 1),  # one in place of another
        ({"tl.vadd": 2, "tl.copy": 5}, 2),
        ({"tl.copy": 3}, 2),
    ],
)
def test_changed_ops_are_counted_once(ops: dict[str, int], changed: int) -> None:
    record = replace(_record(), ops=ops, given_ops={"tl.vadd": 2, "tl.copy": 3})
    assert missing("changed_ops", changed, record) is None
    assert missing("changed_ops", changed - 1, record) is not None


def test_busiest_block_is_the_one_that_stores_most() -> None:
    record = _record(("aiv0", "MTE3", 100), ("aiv0", "MTE2", 900), ("aic", "FIX", 200))
    other = replace(record.timeline.instructions[0], block=1, bytes=250)
    timeline = replace(
        record.timeline, instructions=(*record.timeline.instructions, other), replicated_blocks=2
    )
    record = replace(record, timeline=timeline)
    assert missing("busiest_block", 3, record, per=100) is None  # 300 B in block 0
    assert missing("busiest_block", 2.9, record, per=100) is not None


def test_blocks_started_are_those_of_the_grid() -> None:
    assert missing("blocks_started", 1, _record(blocks=6), per=6) is None
    assert missing("blocks_started", 1, _record(blocks=7), per=6) is not None


def test_load_overlap_is_of_one_core() -> None:
    def instruction(number: int, agent: str, pipe: str, start: int, end: int) -> Instruction:
        return Instruction(
            id=number,
            block=0,
            agent=agent,
            pipe=pipe,
            op="x",
            start_cycle=start,
            end_cycle=end,
        )

    work = (
        instruction(0, "aiv0", "V", 0, 100),
        instruction(1, "aiv0", "MTE2", 70, 120),  # 30 of the 100 cycles
        instruction(2, "aiv1", "MTE2", 0, 100),  # another core's load hides nothing
        instruction(3, "aiv0", "MTE3", 0, 100),
    )
    record = replace(_record(), timeline=replace(_record().timeline, instructions=work))
    assert missing("load_overlap", 30, record) is None
    assert missing("load_overlap", 31, record) is not None
    assert missing("load_overlap", 1, _record()) is not None  # no vector work at all


def test_a_counting_effect_tells_both_numbers() -> None:
    phrase = missing("bytes_written", 1.5, _record(("aic", "FIX", 300)))
    assert phrase is not None
    assert "writes 3 times the bytes" in phrase.say("en")
    assert "at most 1.5 times" in phrase.say("en")


def _timed(*work: tuple[str, str, int, int]) -> Record:
    """A record of one block; work is agent, pipe, first cycle and the one after the last."""
    record = _record(*((agent, pipe, 8) for agent, pipe, _, _ in work))
    found = tuple(
        replace(i, start_cycle=start, end_cycle=end)
        for i, (_, _, start, end) in zip(record.timeline.instructions, work, strict=True)
    )
    return replace(record, timeline=replace(record.timeline, instructions=found))


def test_products_ahead_are_those_stored_before_the_first_weights() -> None:
    work = [("aic", "FIX", 0, 10), ("aic", "FIX", 10, 20), ("aiv0", "MTE3", 15, 25)]
    assert EFFECTS["products_ahead"](_timed(*work, ("aic", "FIX", 24, 30))) == 2
    assert missing("products_ahead", 3.0, _timed(*work)) is not None


def test_cube_idle_is_waiting_by_working() -> None:
    # the cube works from 0 to 10 and from 20 to 30, a vector core to 40: 20 of waiting, 20 of work
    work = [("aic", "M", 0, 10), ("aic", "FIX", 20, 30), ("aiv0", "V", 10, 40)]
    assert EFFECTS["cube_idle"](_timed(*work)) == 100
    assert EFFECTS["cube_idle"](_timed(("aiv0", "V", 0, 10))) == 100


def test_busiest_vector_core_is_told_by_what_it_stores() -> None:
    assert EFFECTS["busiest_vector_core"](_record(("aiv0", "MTE3", 60), ("aiv1", "MTE3", 40))) == 60


def test_counts_are_divided_by_what_the_spec_says() -> None:
    record = replace(_record(), totals={("MTE2", "load"): Total(count=4, bytes=200)})
    assert missing("bytes_read", 2.0, record, per=100) is None
    assert missing("bytes_read", 1.9, record, per=100) is not None


def test_counts_of_all_blocks_are_of_their_own_pipe() -> None:
    total = Total(count=3, bytes=5, operations=7)
    places = [("MTE2", "load"), ("MTE3", "store"), ("M", "mmad"), ("V", "vadd"), ("S", "store")]
    record = replace(_record(), totals=dict.fromkeys(places, total))
    counts = {n: EFFECTS[n](record) for n in ("bytes_read", "product_work", "scalar_elements")}
    assert counts == {"bytes_read": 5, "product_work": 7, "scalar_elements": 3}
