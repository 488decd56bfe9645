"""Blocks over cores: waves, representatives, what the timeline shows."""

from __future__ import annotations

import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.records import Timeline, from_json, to_json
from tlcourse.simulator.run import run

LOAD = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""


def _launch(tiny, helpers, blocks: int, **options: object) -> Timeline:
    tensors = [helpers.tensor("A", "float32", 64)]
    found = tiny.run(tensors, [torch.ones(64)], vector=LOAD, blocks=blocks, **options)
    return found.timeline


def test_one_wave_takes_as_long_as_one_block(tiny, helpers) -> None:
    one, full = _launch(tiny, helpers, 1), _launch(tiny, helpers, 48)
    assert one.cycles == full.cycles
    assert full.replicated_blocks == 47


def test_a_second_wave_starts_behind_the_first(tiny, helpers) -> None:
    timing = DEFAULT_CHIP.timing
    one, two = _launch(tiny, helpers, 48), _launch(tiny, helpers, 50)
    work = one.cycles - one.launch_cycles
    assert two.cycles == one.launch_cycles + 2 * work + timing.block_cycles
    assert len(two.instructions) == 1
    assert two.lanes[0].busy_cycles == 2 * one.lanes[0].busy_cycles


def test_trace_keeps_all_blocks_of_the_shown_core(tiny, helpers) -> None:
    timeline = _launch(tiny, helpers, 50, trace=True)
    assert [i.block for i in timeline.instructions] == [0, 48]
    assert [i.id for i in timeline.instructions] == [0, 1]
    first, second = timeline.instructions
    assert second.start_cycle > first.end_cycle


def test_mixed_kernels_take_a_core_group_a_block(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 64)]
    cube = "hivm.hir.pipe_barrier[<PIPE_M>]"
    runs = [
        tiny.run(tensors, [torch.ones(64)], vector=LOAD, cube=cube, blocks=blocks).timeline.cycles
        for blocks in (1, 24, 25)
    ]
    assert runs[0] == runs[1] < runs[2]


def test_the_slowest_core_is_shown(helpers) -> None:
    parameters = [helpers.tensor(n, "float16", "M", "N") for n in "ABC"]
    parameters += [helpers.symbol("M"), helpers.symbol("N")]
    launch = helpers.signature(parameters, "(M + 63) // 64")
    program = helpers.program_of(helpers.real_text("vadd_tails_expert"), launch)
    a = torch.zeros(65, 128).half()
    timeline = run(program, [a, a, a.clone()], symbols={"M": 65, "N": 128}).timeline
    assert {i.block for i in timeline.instructions} == {0}, "block 1 has one row"
    assert timeline.replicated_blocks == 0


def test_timeline_goes_through_json(tiny, helpers) -> None:
    timeline = _launch(tiny, helpers, 50)
    assert from_json(Timeline, to_json(timeline)) == timeline
    assert (timeline.chip, timeline.clock_mhz) == ("Ascend910B1", 1850)


def test_a_run_that_stopped_has_a_timeline(tiny, helpers) -> None:
    found = tiny.run([], [], vector="wait MTE2 V 0")
    assert helpers.codes(found) == ["TL502"]
    assert found.timeline.instructions == ()
