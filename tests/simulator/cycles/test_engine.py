"""The engine: determinism, standstill, the scalar unit."""

from __future__ import annotations

import pytest

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.simulator.cycles import StandstillError, launch_cycles, pipe_cycles, timeline


def test_twenty_runs_give_one_timeline(tiny, helpers, recorded, vadd_lines: str) -> None:
    names = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    program = tiny.program(names, vector=vadd_lines, blocks=100)
    found = {
        timeline(recorded(program, (64, 64, 64)), DEFAULT_CHIP, all_blocks=True) for _ in range(20)
    }
    assert len(found) == 1


def test_pipe_cycles_are_those_of_all_blocks_of_a_core(
    tiny, helpers, recorded, round_chip, vadd_lines: str
) -> None:
    names = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    found = recorded(tiny.program(names, vector=vadd_lines, blocks=96), (64, 64, 64))
    assert pipe_cycles(found, round_chip()) == {
        "aiv0.MTE2": 2 * 214,
        "aiv0.V": 2 * 111,
        "aiv0.MTE3": 2 * 107,
    }


def test_a_wait_that_nobody_ends(tiny, recorded, round_chip) -> None:
    program = tiny.program([], vector="wait MTE2 V 0")
    with pytest.raises(StandstillError):
        launch_cycles(recorded(program), round_chip())


def test_a_raise_behind_a_full_queue_never_comes(tiny, recorded, round_chip) -> None:
    """V waits for MTE2's second flag, and the scalar unit for room in the queue of V."""
    lines = "\n".join(["wait MTE2 V 0", *["hivm.hir.pipe_barrier[<PIPE_V>]"] * 4, "set MTE2 V 0"])
    found = recorded(tiny.program([], vector=lines))
    assert launch_cycles(found, round_chip()) > 1000
    with pytest.raises(StandstillError):
        launch_cycles(found, round_chip(queue_instructions=2))


def test_many_instructions_end_no_earlier_than_they_are_issued(timed, round_chip) -> None:
    """600 rows of 32 columns: three instructions, issued at 50, 100, 150, of 1 + 710 / 3 each.

    A chip that starts a vector op at once: 600 cycles of repeats, from 50 to 650; with 500
    cycles an issue the last one comes at 1500 and takes a third of 600.
    """
    kind = "UB(600x32xf32, strided<[40, 1]>)"
    lines = (
        "%w = hivm.hir.pointer_cast(%c0) : UB(600x40xf32)\n"
        f"%u = memref.subview %w[0, 0] [600, 32] [1, 1] : UB(600x40xf32) to {kind}\n"
        f"hivm.hir.vabs ins(%u : {kind}) outs(%u : {kind})"
    )
    found = {
        issue: timed(
            vector=lines, chip=round_chip(scalar_issue_cycles=issue, vector_start_cycles=0)
        )
        for issue in (50, 500)
    }
    assert found == {50: [("aiv0", "vabs", 50, 650)], 500: [("aiv0", "vabs", 500, 1700)]}


WAITS = """%u = hivm.hir.pointer_cast(%c0) : UB(256xf32)
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 3
hivm.hir.load ins(%A1 : GM(256xf32)) outs(%u : UB(256xf32))
hivm.hir.vexp ins(%u : UB(256xf32)) outs(%u : UB(256xf32))"""
SETS = "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 3"


def test_a_wait_for_another_core_may_hold_up_the_issue(timed, round_chip) -> None:
    """The flag is up at 10, MTE2 goes on at 410. vexp needs no flag and starts when issued."""
    free = timed((256,), cube=SETS, vector=WAITS)
    held = timed(
        (256,), cube=SETS, vector=WAITS, chip=round_chip(cross_core_wait_blocks_issue=True)
    )
    start = {
        "free": {op: start for agent, op, start, _ in free if agent == "aiv0"},
        "held": {op: start for agent, op, start, _ in held if agent == "aiv0"},
    }
    assert start == {"free": {"load": 410, "vexp": 30}, "held": {"load": 420, "vexp": 430}}


def test_the_scalar_unit_waits_for_what_it_reads(timed, round_chip) -> None:
    """An element of GM takes 500 cycles, one of UB 20; each is issued before."""
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%x = memref.load %A1[%i0] : GM(64xf32)
memref.store %x, %u[%i3] : UB(64xf32)
hivm.hir.vabs ins(%u : UB(64xf32)) outs(%u : UB(64xf32))"""
    assert timed((64,), vector=lines) == [
        ("aiv0", "load", 10, 510),
        ("aiv0", "store", 520, 540),
        ("aiv0", "vabs", 550, 661),
    ]
