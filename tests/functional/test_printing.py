"""What T.print writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T


def test_each_core_prints(
    launch: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((4,), "int32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            with T.Scope("Cube"):
                T.print(cid, "block")
            with T.Scope("Vector"):
                T.print(A[cid : cid + 1], "element")

    launch(kernel, torch.arange(4, dtype=torch.int32))
    assert capsys.readouterr().out.splitlines() == [
        "[block 0, cube core] block 0",
        "[block 0, vector core 0] element",
        "[0]",
        "[block 0, vector core 1] element",
        "[0]",
        "[block 1, cube core] block 1",
        "[block 1, vector core 0] element",
        "[1]",
        "[block 1, vector core 1] element",
        "[1]",
    ]
