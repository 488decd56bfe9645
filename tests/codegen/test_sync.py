"""Barriers in generated code."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError


def barriers() -> T.PrimFunc:
    @T.prim_func
    def barriers(A: T.Tensor((16, 8), "float32"), n: T.int32):
        with T.Kernel(2, is_npu=True) as (cid, _vid):
            with T.Scope("Cube"):
                with T.rs("PIPE_FIX"):
                    T.block_barrier(3)
            with T.Scope("Vector"):
                a = T.alloc_ub((8,), "float32")
                T.copy(A[cid, :], a)
                with T.rs("PIPE_MTE3"):
                    T.subblock_barrier(n)

    return barriers


def test_a_barrier_is_a_raise_and_a_wait(lower: Callable[..., Any]) -> None:
    generated = lower(barriers(), "Expert")
    cube, vector = generated.lines("hivm.hir.sync_block_set")
    assert cube == (
        "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 3 "
        "sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>"
    )
    assert vector.startswith("hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = %")
    assert vector.endswith("sync_instr_mode = <INTER_SUBBLOCK_SYNCHRONIZATION>")
    assert generated.counts["hivm.hir.sync_block_wait"] == 2


@pytest.mark.bishengir
def test_real_compiler_verifies(lower: Callable[..., Any], bishengir_opt: Path) -> None:
    text = lower(barriers(), "Expert").text
    done = subprocess.run(
        [bishengir_opt, "-"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_developer_mode_orders_itself(lower: Callable[..., Any]) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((16, 8), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_shared((8,), "float32")
            T.copy(A[cid, :], a)
            with T.rs("PIPE_MTE3"):
                T.block_barrier(0)

    with pytest.raises(TLError, match="TL214") as caught:
        lower(kernel, "Developer")
    assert "T.block_barrier does not exist in Developer mode" in caught.value.diagnostic.what
