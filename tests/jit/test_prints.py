"""T.print says the same in both executors, and comes to an end."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse.jit import compile
from tlcourse.printing import MOST_PRINTS


@T.prim_func
def told_by_three_cores(A: T.Tensor((4,), "int32"), n: T.int32):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        with T.Scope("Cube"):
            T.print(cid, "block")
        with T.Scope("Vector"):
            a = T.alloc_ub((8,), "int32")
            T.vbrc(7, a)
            if vid == 1:
                T.print(a, "tile", hex=True)
            for i in T.serial(n):
                T.print(i, "turn")


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.filterwarnings("ignore")
def test_each_line_names_block_and_core(execution: str, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = compile(told_by_three_cores, mode="Expert")
    kernel.launch(torch.zeros(4, dtype=torch.int32).npu(), 1, execution=execution)
    bits = " ".join(["0x00000007"] * 8)
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(
        line
        for block in (0, 1)
        for line in (
            f"[block {block}, cube core] block {block}",
            f"[block {block}, vector core 0] turn 0",
            f"[block {block}, vector core 1] turn 0",
            f"[block {block}, vector core 1] tile",
            bits,
        )
    )


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.filterwarnings("ignore")
def test_a_loop_that_prints_is_cut(execution: str, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = compile(told_by_three_cores, mode="Expert")
    kernel.launch(torch.zeros(4, dtype=torch.int32).npu(), 500, execution=execution)
    lines = capsys.readouterr().out.splitlines()
    assert sum("turn" in line and "[block" in line for line in lines) == MOST_PRINTS
    assert lines[-1] == f"[all blocks] turn: {2000 - MOST_PRINTS:,} of 2,000 not shown"
