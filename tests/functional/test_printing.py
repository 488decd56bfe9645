"""What T.print writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.functional.printing import block_text


def test_scalars_and_tiles() -> None:
    assert block_text(3, False) == " 3"
    assert block_text(255, True) == " 0xff"
    assert block_text(torch.tensor([[1, 2], [3, 4]]), False) == "\n[[1 2]\n [3 4]]"
    assert block_text(torch.tensor([1.5], dtype=torch.bfloat16), False) == "\n[1.5]"


@pytest.mark.parametrize(
    ("tile", "text"),
    [
        (torch.tensor([[1, -1]], dtype=torch.int8), "\n0x01 0xff"),
        (torch.tensor([[1.0], [2.0]]), "\n0x3f800000\n0x40000000"),
        (torch.tensor([1.0], dtype=torch.float16), "\n0x3c00"),
    ],
)
def test_stored_bits(tile: torch.Tensor, text: str) -> None:
    assert block_text(tile, True) == text


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
        "[cube, block 0] block 0",
        "[vector 0, block 0] element",
        "[0]",
        "[vector 1, block 0] element",
        "[0]",
        "[cube, block 1] block 1",
        "[vector 0, block 1] element",
        "[1]",
        "[vector 1, block 1] element",
        "[1]",
    ]
