"""Barriers between blocks and between the vector cores of a block."""

from __future__ import annotations

from collections.abc import Callable

import torch

import tlcourse.language as T
from tlcourse.functional.barriers import Barrier, Barriers
from tlcourse.functional.run import FunctionalRun

Launch = Callable[..., FunctionalRun]


def test_arrivals_count_for_each_core() -> None:
    cores = [(0, "vector", 0), (0, "vector", 1), (1, "vector", 0), (1, "cube", 0)]
    barriers = Barriers(members=cores)
    here = Barrier(flag=2, place=-1, iteration=(), scope="subblock")
    barriers.arrive(cores[0], "subblock", 2)
    assert barriers.missing(cores[0], here) == [cores[1]]
    barriers.arrive(cores[1], "subblock", 2)
    assert barriers.passed(cores[0], here)
    all_blocks = Barrier(flag=2, place=-1, iteration=(), scope="block")
    barriers.arrive(cores[0], "block", 2)
    assert barriers.missing(cores[0], all_blocks) == [cores[1], cores[2]]


def _exchange(rounds: int) -> T.PrimFunc:
    @T.prim_func
    def exchange(W: T.Tensor((4, 8), "float32"), R: T.Tensor((4, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8,), "float32")
            b = T.alloc_ub((8,), "float32")
            T.copy(W[cid, :], a)
            for i in T.serial(rounds):
                T.vadd(a, 1.0, a)
                T.copy(a, W[cid, :])
                with T.rs("PIPE_MTE3"):
                    T.block_barrier(i % 2)
                T.copy(W[(cid + 1) % 4, :], b)
                with T.rs("PIPE_MTE2"):
                    T.block_barrier(2)
                T.copy(b, a)
            T.copy(a, R[cid, :])

    return exchange


def test_blocks_see_what_the_others_wrote(launch: Launch) -> None:
    w, o = torch.arange(4.0).view(4, 1).repeat(1, 8), torch.zeros(4, 8)
    assert launch(_exchange(3), w, o).findings == ()
    assert o[:, 0].tolist() == [3 + 3, 0 + 3, 1 + 3, 2 + 3]


def test_the_same_numbers_each_time(launch: Launch) -> None:
    results = []
    for _ in range(2):
        w, o = torch.rand(4, 8, generator=torch.Generator().manual_seed(1)), torch.zeros(4, 8)
        launch(_exchange(2), w, o)
        results.append(o)
    assert torch.equal(*results)


def test_block_barrier_that_one_block_misses(faults: Callable[..., list[str]]) -> None:
    @T.prim_func
    def missed(A: T.Tensor((4, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((8,), "float32")
            T.copy(A[cid, :], a)
            if cid < 3:
                with T.rs("PIPE_MTE3"):
                    T.block_barrier(1)
            T.copy(a, A[cid, :])

    (text,) = faults(missed, torch.rand(4, 8))
    assert "TL502" in text
    assert "vector 0 in block 0 waits at T.block_barrier(1) for vector 0 of block 3" in text


def test_subblock_barrier(launch: Launch, faults: Callable[..., list[str]]) -> None:
    def mixed(both: bool) -> T.PrimFunc:
        @T.prim_func
        def halves(W: T.Tensor((2, 2, 8), "float32"), R: T.Tensor((2, 2, 8), "float32")):
            with T.Kernel(2, is_npu=True) as (cid, vid):
                with T.Scope("Cube"):
                    with T.rs("PIPE_FIX"):
                        T.pipe_barrier("PIPE_FIX")
                with T.Scope("Vector"):
                    a = T.alloc_ub((8,), "float32")
                    T.vbrc(cid * 10 + vid, a)
                    T.copy(a, W[cid, vid, :])
                    if both or vid == 0:
                        with T.rs("PIPE_MTE3"):
                            T.subblock_barrier(0)
                    T.copy(W[cid, 1 - vid, :], a)
                    T.copy(a, R[cid, vid, :])

        return halves

    w, o = torch.zeros(2, 2, 8), torch.zeros(2, 2, 8)
    assert launch(mixed(True), w, o).findings == ()
    assert o[:, :, 0].tolist() == [[1, 0], [11, 10]]
    (text,) = faults(mixed(False), w, o)
    assert "vector 0 in block 0 waits at T.subblock_barrier(0) for vector 1" in text


def test_cube_and_vector_blocks_meet_apart(launch: Launch) -> None:
    @T.prim_func
    def mix(A: T.Tensor((2, 8), "float32"), R: T.Tensor((2, 8), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _vid):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.block_barrier(0)
                    T.sync_block_set(3)
            with T.Scope("Vector"):
                a = T.alloc_ub((8,), "float32")
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(3)
                    T.block_barrier(1)
                T.copy(A[cid, :], a)
                T.copy(a, R[cid, :])

    a, o = torch.rand(2, 8), torch.zeros(2, 8)
    assert launch(mix, a, o).findings == ()
    assert torch.equal(a, o)
