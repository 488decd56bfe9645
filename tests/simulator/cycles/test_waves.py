"""Blocks over cores."""

from __future__ import annotations

import pytest

from tlcourse.simulator.cycles import launch_cycles, limits, timeline
from tlcourse.simulator.cycles.stream import CoreStream, Recording, Shape, SiteName, Stream, Work
from tlcourse.simulator.cycles.waves import Waves

# One product of 100 or 300 cycles; exp of the vector core takes 114.
SHAPES = (
    Shape(kind="mmad", core="cube", repeats=68),
    Shape(kind="mmad", core="cube", repeats=268),
    Shape(kind="vector", cost_class="transcendental", repeats=1),
)


def _recording(class_of: list[int], streams: tuple[Stream, ...], kind: str = "cube") -> Recording:
    return Recording(
        kernel="k",
        kind=kind,
        blocks=len(class_of),
        class_of=tuple(class_of),
        streams=streams,
        shapes=SHAPES,
        sites=(SiteName(op="mmadL1"),),
        tensors=(),
    )


def _cube(shape: int) -> Stream:
    work = Work(pipe="M", site=0, shape=shape)
    return Stream(cores=(CoreStream(name="aic", block=0, works=(work,)),), raises=())


def test_a_core_that_is_free_takes_the_next_block(round_chip) -> None:
    """24 groups; a block takes 10 + 100 or 10 + 300 cycles, 200 lie between two blocks.

    Blocks 0 to 11 are long. Blocks 24 to 35 go to the groups of the short blocks 12 to 23, at
    110 + 200; block 36 to group 0, which is free at 310.
    """
    class_of = [1] * 12 + [0] * 25
    waves = Waves(_recording(class_of, (_cube(0), _cube(1))), round_chip(), cold=False)
    starts = {
        block: min(next(t for t in waves.slot_of(block) if t.block == block).starts)
        for block in (0, 12, 24, 35, 36)
    }
    assert starts == {0: 0, 12: 0, 24: 310, 35: 310, 36: 510}
    assert waves.slot_of(24)[0].block == 12
    assert waves.slot_of(36)[0].block == 0
    assert waves.cycles() == 510 + 110


def test_equal_blocks_go_round(round_chip) -> None:
    """50 blocks on 24 groups: group 0 has blocks 0, 24, 48."""
    waves = Waves(_recording([0] * 50, (_cube(0),)), round_chip(), cold=False)
    assert [turn.block for turn in waves.slot_of(48)] == [0, 24, 48]
    assert [turn.block for turn in waves.slot_of(5)] == [5, 29]
    assert waves.cycles() == 3 * 110 + 2 * 200


MIX = Stream(
    cores=(
        CoreStream(name="aic", block=0, works=(Work(pipe="M", site=0, shape=0),)),
        CoreStream(name="aiv0", block=0, works=(Work(pipe="V", site=0, shape=2),) * 3),
        CoreStream(name="aiv1", block=0, works=(Work(pipe="V", site=0, shape=2),)),
    ),
    raises=(),
)


@pytest.mark.parametrize(
    ("waits", "starts", "end"), [(True, (552, 552, 552), 904), (False, (310, 552, 324), 904)]
)
def test_next_block_of_a_group(round_chip, waits: bool, starts, end: int) -> None:
    """aic 10 + 100, aiv0 10 + 3 x 114 = 352, aiv1 10 + 114; a further block 200 later."""
    chip = round_chip(blocks_wait_for_group=waits)
    waves = Waves(_recording([0] * 25, (MIX,), "mix"), chip, cold=False)
    assert waves.slot_of(24)[1].starts == starts
    assert waves.cycles() == end


def test_blocks_that_wait_leave_l2_to_the_others(tiny, helpers, recorded, round_chip) -> None:
    """L2 gives 480 bytes a cycle, 10 for each of 48 blocks, which move 256 bytes each.

    That could be done in 26 cycles, but a block takes 617 even at its port of 40: it waits for
    most of them, and the others do so too. So each has its port: 100 + 7 cycles.
    """
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""
    program = tiny.program([helpers.tensor("A", "float32", 64)], vector=lines, blocks=50)
    chip = round_chip(l2_read_bytes_per_cycle=480)
    found = timeline(recorded(program, (64,)), chip, all_blocks=True)
    times = [(i.start_cycle - 1000, i.end_cycle - 1000) for i in found.instructions]
    assert times == [(10, 117), (827, 934)]


def test_blocks_that_move_all_the_time_share_l2(tiny, helpers, recorded, round_chip) -> None:
    """L2 gives 102 parts of 1024 to each of 48 blocks: 2,571 cycles for 256 bytes.

    With all of L2 for itself, 4.8 bytes a cycle, one takes 664.
    """
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""
    program = tiny.program([helpers.tensor("A", "float32", 64)], vector=lines, blocks=48)
    chip = round_chip(l2_read_bytes_per_cycle=4.8)
    recording = recorded(program, (64,))
    fast, least = limits(recording, chip)
    assert (fast, least) == (664, 2571)
    assert launch_cycles(recording, chip) - 1000 == pytest.approx(least, rel=0.01)


def test_a_launch_without_work_costs_its_start(round_chip) -> None:
    nothing = Stream(cores=(CoreStream(name="aic", block=0, works=()),), raises=())
    assert launch_cycles(_recording([0], (nothing,)), round_chip()) == 1000
