"""Autocast: off, on, and nested."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from tlcourse.device import autocast


def pair() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    a, b = torch.randn(4, 4, generator=generator), torch.randn(4, 4, generator=generator)
    return a.npu(), b.npu()


def test_off_changes_nothing() -> None:
    a, b = pair()
    with torch.autocast("npu", enabled=False):
        assert torch.equal(a @ b, (a.cpu() @ b.cpu()).npu())


@pytest.mark.parametrize("dtype", autocast.supported_dtypes())
def test_products_run_in_the_type_asked_for(dtype: torch.dtype) -> None:
    a, b = pair()
    with torch.autocast("npu", dtype=dtype):
        product, linear = a @ b, functional.linear(a, b, bias=a[0])
        with torch.autocast("npu", enabled=False):
            assert (a @ b).dtype == torch.float32
    assert linear.dtype == dtype
    torch.testing.assert_close(product.cpu(), a.cpu().to(dtype) @ b.cpu().to(dtype))
    assert (a @ b).dtype == torch.float32


def test_sums_and_exponentials_run_in_float32() -> None:
    a, _ = pair()
    with torch.autocast("npu", dtype=torch.float16):
        found = torch.softmax(a.half(), -1)
        assert a.half().sum().dtype == torch.float32
        assert (a.half() + 1).dtype == torch.float16
    torch.testing.assert_close(found.cpu(), torch.softmax(a.cpu().half().float(), -1))


def test_other_places_are_left_alone() -> None:
    with torch.autocast("npu", dtype=torch.float16):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


def test_a_step_of_training_with_a_scaler() -> None:
    torch.manual_seed(1)
    layer = torch.nn.Linear(4, 4).npu()
    before = layer.weight.tolist()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("npu")
    with torch.autocast("npu", dtype=torch.float16):
        loss = layer(torch.ones(2, 4).npu()).float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    assert layer.weight.dtype == torch.float32
    assert layer.weight.tolist() != before


def test_checkpoint_keeps_it() -> None:
    x = torch.ones(2, 2, device="npu", requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: t * t, x, use_reentrant=True)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]
