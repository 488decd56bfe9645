"""The chain of three kernels gives torch's attention, without a finding."""

from __future__ import annotations

import pytest
import torch

from tlcourse.examples import attention_chain as chain
from tlcourse.jit import compile as compile_kernel


@pytest.mark.parametrize("execution", ["functional", "simulator"])
def test_chain_is_attention(execution: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
    S, D = 128, 64
    generator = torch.Generator().manual_seed(0)
    Q, K, V = (torch.randn(S, D, generator=generator).half() for _ in range(3))
    steps = (chain.scores(S, D), chain.row_softmax(S), chain.values(S, D))
    kernels = [compile_kernel(step, out_idx=[-1], target="npuir") for step in steps]
    first = kernels[0].launch(Q.npu(), K.npu(), execution=execution)
    second = kernels[1].launch(*first.outputs, execution=execution)
    third = kernels[2].launch(*second.outputs, V.npu(), execution=execution)
    assert not (*first.findings, *second.findings, *third.findings)
    want = torch.nn.functional.scaled_dot_product_attention(*(x.float()[None] for x in (Q, K, V)))
    assert torch.allclose(third.outputs[0].cpu().float(), want[0], atol=1e-3, rtol=1e-3)
