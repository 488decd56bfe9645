"""Cross-core flags that are missing, in the wrong order or left over."""

from __future__ import annotations

from collections.abc import Callable

import torch

import tlcourse.language as T
from tlcourse.functional.run import FunctionalRun

Launch = Callable[..., FunctionalRun]
Faults = Callable[..., list[str]]


def hand_over() -> T.PrimFunc:
    @T.prim_func
    def pair(A: T.Tensor((4, 16), "float32"), B: T.Tensor((4, 16), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            with T.Scope("Cube"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(1)
                with T.rs("PIPE_FIX"):
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                tile = T.alloc_ub((16,), "float32")
                with T.rs("PIPE_MTE3"):
                    T.sync_block_set(1)
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                T.copy(A[cid * 2 + vid, :], tile)
                T.copy(tile, B[cid * 2 + vid, :])

    return pair


def test_flags_in_both_directions(launch: Launch) -> None:
    a, b = torch.randn(4, 16), torch.zeros(4, 16)
    assert launch(hand_over(), a, b).findings == ()
    assert torch.equal(b, a)


def test_each_waits_for_the_other(launch: Launch, faults: Faults) -> None:
    @T.prim_func
    def crossed(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.sync_block_wait(1)
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.sync_block_set(1)

    (found,) = launch(crossed, torch.zeros(16)).findings
    assert (found.diagnostic.code, found.diagnostic.severity) == ("TL502", "error")
    assert (found.agent, found.block) == ("aic", 0)
    assert found.other_span is not None
    (text,) = faults(crossed, torch.zeros(16))
    assert (
        "crossed stands still in block 0: cube waits for flag 1, "
        "vector 0 and vector 1 wait for flag 0" in text
    )
    assert "cube waits here for flag 1" in text
    assert "vector waits here for flag 0" in text
    assert "vector raises flag 1 here" in text
    assert "cube raises flag 0 here" in text
    assert 'move T.sync_block_set(1) in T.Scope("Vector") above the wait' in text


def test_nobody_raises_the_flag(faults: Faults) -> None:
    @T.prim_func
    def forgotten(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.sync_block_set(3)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(2)

    (text,) = faults(forgotten, torch.zeros(16))
    assert "vector 0 and vector 1 wait for flag 2" in text
    assert "no line of the cube code raises flag 2" in text
    assert 'add T.sync_block_set(2) in T.Scope("Cube")' in text


def test_raised_once_and_awaited_twice(faults: Faults) -> None:
    @T.prim_func
    def twice(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    for k in T.serial(2):
                        T.sync_block_wait(0)

    (text,) = faults(twice, torch.zeros(16))
    assert "cube raised flag 0 1 time in this block and is done with it" in text


def test_cube_needs_both_vector_cores(faults: Faults) -> None:
    @T.prim_func
    def one_side(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, vid):
            with T.Scope("Cube"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE3"):
                    if vid == 0:
                        T.sync_block_set(0)

    (text,) = faults(one_side, torch.zeros(16))
    assert "one_side stands still in block 0: cube waits for flag 0" in text
    assert "both vector cores" in text


def test_flags_count(launch: Launch) -> None:
    @T.prim_func
    def fifteen(A: T.Tensor((16,), "float32")):
        with T.Kernel(2, is_npu=True):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    for k in T.serial(15):
                        T.sync_block_set(k % 3)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    for k in T.serial(15):
                        T.sync_block_wait(k % 3)

    assert launch(fifteen, torch.zeros(16)).findings == ()


def test_flag_left_over(launch: Launch, faults: Faults) -> None:
    @T.prim_func
    def extra(A: T.Tensor((16,), "float32")):
        with T.Kernel(3, is_npu=True):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.sync_block_set(0)
                    T.sync_block_set(5)
                    T.sync_block_set(5)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)

    (found,) = launch(extra, torch.zeros(16)).findings
    assert (found.diagnostic.code, found.diagnostic.severity) == ("TL503", "warning")
    assert (found.agent, found.block, found.count) == ("aic", 0, 3)
    (text,) = faults(extra, torch.zeros(16))
    assert "flag 5 is raised 2 times more by cube than vector waits for it" in text
    assert "T.sync_block_wait(5)" in text


def test_a_raise_does_not_reach_the_next_block(faults: Faults) -> None:
    @T.prim_func
    def early(A: T.Tensor((16,), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    if cid == 0:
                        T.sync_block_set(0)
                        T.sync_block_set(0)
            with T.Scope("Vector"):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)

    (text,) = faults(early, torch.zeros(16))
    assert "early stands still in block 1" in text
    assert "cube has not raised flag 0 in this block" in text


def test_wait_of_a_kernel_on_one_core(faults: Faults) -> None:
    @T.prim_func
    def alone(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_ub((16,), "float32")
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(0)
            T.copy(A, tile)

    (text,) = faults(alone, torch.zeros(16))
    assert "no line of the cube code raises flag 0" in text
