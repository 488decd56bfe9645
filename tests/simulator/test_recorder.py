"""A replay: each instruction of a block with what it wrote and the flags up behind it."""

from __future__ import annotations

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import Kernel, compile
from tlcourse.replay import Replay, ReplayStep

A, B = torch.arange(64 * 128).reshape(64, 128) % 7 - 3, torch.ones(128, 128)


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    func = minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)
    return compile(func, mode="Expert")


@pytest.fixture(scope="module")
def replay(kernel: Kernel) -> Replay:
    """A[i, j] = (128 i + j) mod 7 - 3 and B = 1, so C[i, j] is the sum of row i of A."""
    outputs = torch.zeros(2, 64, 128).npu()
    launch = kernel.launch(A.half().npu(), B.half().npu(), outputs[0], outputs[1], replay=0)
    assert launch.findings == ()
    assert launch.replay is not None
    return launch.replay


def step(replay: Replay, agent: str, op: str, turn: tuple[int, ...] = ()) -> ReplayStep:
    return next(
        one for one in replay.steps if (one.agent, one.op, one.iteration) == (agent, op, turn)
    )


def test_a_load_writes_over_what_nobody_wrote(replay: Replay) -> None:
    load = step(replay, "aic", "nd2nz", (0,))
    assert (load.pipe, load.reads) == ("MTE2", ("A",))
    (change,) = load.changes
    assert (change.tile, change.memory, change.shape) == ("A_l1[0]", "L1", "4x4x16x16")
    assert change.before == "-, -, -, -, ..."
    assert change.after == "-3, -2, -1, 0, ..."


def test_products_add_up(replay: Replay) -> None:
    """Row 0 holds 9 times -3 .. 3, then -3 in column 63; columns 64 to 127 begin with -2."""
    first, second = (step(replay, "aic", "mmadL1", (turn,)).changes[0] for turn in (0, 1))
    row = A[0].float()
    assert first.after == f"{row[:64].sum().item():.4g}, " * 4 + "..."
    assert second.before == first.after
    assert second.after == f"{row.sum().item():.4g}, " * 4 + "..."
    assert row[:64].sum() == -3


def test_flags_are_up_between_set_and_wait(replay: Replay) -> None:
    steps = [one for one in replay.steps if one.agent == "aiv0"]
    name = "flag 0 of MTE2 for V in aiv0"
    up = [one.op for one in steps if name in one.flags]
    assert up == ["set_flag"]
    after = steps[steps.index(step(replay, "aiv0", "set_flag")) + 1]
    assert (after.op, after.pipe) == ("wait_flag", "V")


def test_a_cross_core_flag_is_up_for_each_receiver(replay: Replay) -> None:
    name = "cross-core flag 0 of the cube core for aiv"
    raised = step(replay, "aic", "sync_block_set")
    assert raised.flags == (f"{name}0", f"{name}1")
    assert step(replay, "aiv0", "sync_block_wait").flags == (f"{name}1",)


def test_order_and_numbers(replay: Replay, kernel: Kernel) -> None:
    assert [one.index for one in replay.steps] == list(range(len(replay.steps)))
    assert (replay.kernel, replay.block, replay.seed) == ("minicv", 0, 0)
    kinds = [one for one in replay.steps if one.op not in ("load_l0", "barrier")]
    lines = kernel.instructions()
    listed = {line.op for line in lines}
    assert {one.op for one in kinds} == listed - {"pipe_barrier"}


def test_without_a_block_there_is_no_replay(kernel: Kernel) -> None:
    assert kernel.launch(*kernel.get_profiler().inputs()).replay is None


def test_a_block_that_is_not_there(kernel: Kernel) -> None:
    outputs = torch.zeros(2, 64, 128).npu()
    with pytest.raises(TLError, match="TL415") as caught:
        kernel.launch(A.half().npu(), B.half().npu(), outputs[0], outputs[1], replay=1)
    assert caught.value.diagnostic.why == "this launch has block 0 alone"
