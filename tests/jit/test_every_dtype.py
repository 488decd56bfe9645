"""A tile of every dtype goes through UB and comes out bit for bit, without a finding.

Not so bool: it takes a byte in GM and a bit in UB, and a DMA changes neither.
"""

from __future__ import annotations

import pytest
import torch
import torch_npu  # noqa: F401 - adds `.npu()`

import tlcourse.language as T
from tlcourse.jit import compile
from tlcourse.jit.dtypes import TORCH_DTYPES


def _kernel(dtype: str):
    @T.prim_func
    def moved(A: T.Tensor((3, 40), dtype), B: T.Tensor((3, 40), dtype)):
        with T.Kernel(3, is_npu=True) as (cid, _):
            a = T.alloc_shared((1, 40), dtype)
            T.copy(A[cid : cid + 1, :], a)
            T.copy(a, B[cid : cid + 1, :])

    return moved


def _bits(dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    size = 3 * 40 * dtype.itemsize
    found = torch.randint(0, 120, (size,), dtype=torch.uint8, generator=generator)
    return found.view(dtype).reshape(3, 40)


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.filterwarnings("ignore:.*TL447")
@pytest.mark.parametrize("dtype", [name for name in TORCH_DTYPES if name != "bool"])
def test_moves(dtype: str, execution: str) -> None:
    kernel = compile(_kernel(dtype), out_idx=[1], mode="Developer")
    a = _bits(TORCH_DTYPES[dtype])
    launch = kernel.launch(a.npu(), execution=execution)
    assert launch.findings == ()
    (b,) = launch.outputs
    assert torch.equal(b.cpu().view(torch.uint8), a.view(torch.uint8))
