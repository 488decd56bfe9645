"""Recurrent layers and cells, values and gradients against the CPU."""

from __future__ import annotations

import pytest
import torch
from torch.nn.utils import rnn

LAYERS = [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN]
CELLS = [torch.nn.LSTMCell, torch.nn.GRUCell, torch.nn.RNNCell]


def first(result: torch.Tensor | tuple[torch.Tensor, ...]) -> torch.Tensor:
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("layer", [*LAYERS, *CELLS], ids=lambda layer: layer.__name__)
def test_values_and_gradients(layer: type[torch.nn.Module]) -> None:
    torch.manual_seed(0)
    module, x = layer(3, 4), torch.randn(5, 3)
    there = first(module(x))
    there.square().sum().backward()
    slopes = [parameter.grad for parameter in module.parameters()]
    module.zero_grad()
    here = first(module.npu()(x.npu()))
    here.square().sum().backward()
    assert here.device.type == "npu"
    torch.testing.assert_close(here.cpu(), there)
    for parameter, slope in zip(module.parameters(), slopes, strict=True):
        assert parameter.grad is not None
        torch.testing.assert_close(parameter.grad.cpu(), slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_sequences_of_several_lengths(layer: type[torch.nn.Module]) -> None:
    torch.manual_seed(0)
    module = layer(3, 4, batch_first=True)
    packed = rnn.pack_padded_sequence(torch.randn(2, 5, 3), [5, 3], batch_first=True)
    there = module(packed)[0].data
    here = module.npu()(packed.to("npu"))[0].data
    torch.testing.assert_close(here.cpu(), there)


@pytest.mark.parametrize("layer", CELLS, ids=lambda layer: layer.__name__)
def test_without_gradients(layer: type[torch.nn.Module]) -> None:
    module = layer(3, 4)
    with torch.no_grad():
        there = first(module(torch.ones(2, 3)))
        here = first(module.npu()(torch.ones(2, 3).npu()))
    torch.testing.assert_close(here.cpu(), there)
