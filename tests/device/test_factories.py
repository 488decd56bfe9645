"""Every way of making a tensor on the npu gives one there, with the right values."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch

Make = Callable[[], torch.Tensor]

MADE: dict[str, tuple[Make, list[object]]] = {
    "tensor.npu()": (lambda: torch.ones(2).npu(), [1.0, 1.0]),
    "tensor.npu(0)": (lambda: torch.ones(2).npu(0), [1.0, 1.0]),
    "to(npu)": (lambda: torch.ones(2).to("npu"), [1.0, 1.0]),
    "to(device=npu)": (lambda: torch.ones(2).to(device="npu"), [1.0, 1.0]),
    "to(npu:0, dtype)": (lambda: torch.ones(2).to("npu:0", torch.int8), [1, 1]),
    "to(0)": (lambda: torch.ones(2).to(0), [1.0, 1.0]),
    "tensor": (lambda: torch.tensor([1, 2], device="npu"), [1, 2]),
    "as_tensor": (lambda: torch.as_tensor([1.5], device="npu"), [1.5]),
    "zeros": (lambda: torch.zeros(2, device="npu"), [0.0, 0.0]),
    "ones": (lambda: torch.ones(2, device="npu"), [1.0, 1.0]),
    "full": (lambda: torch.full((2,), 3.0, device="npu"), [3.0, 3.0]),
    "arange end": (lambda: torch.arange(3, device="npu"), [0, 1, 2]),
    "arange start end": (lambda: torch.arange(1, 3, device="npu"), [1, 2]),
    "arange step": (lambda: torch.arange(0, 1, 0.5, device="npu"), [0.0, 0.5]),
    "linspace": (lambda: torch.linspace(0, 1, 3, device="npu"), [0.0, 0.5, 1.0]),
    "eye": (lambda: torch.eye(2, device="npu"), [[1.0, 0.0], [0.0, 1.0]]),
    "tril_indices": (lambda: torch.tril_indices(2, 2, device="npu"), [[0, 1, 1], [0, 0, 1]]),
    "triu_indices": (lambda: torch.triu_indices(2, 2, device="npu"), [[0, 0, 1], [0, 1, 1]]),
    "randperm sorted": (lambda: torch.randperm(3, device="npu").sort()[0], [0, 1, 2]),
    "randint of one": (lambda: torch.randint(4, 5, (2,), device="npu"), [4, 4]),
    "scalar_tensor": (lambda: torch.scalar_tensor(2, device="npu").reshape(1), [2.0]),
    "zeros_like": (lambda: torch.zeros_like(torch.ones(2).npu()), [0.0, 0.0]),
    "zeros_like of a CPU tensor": (
        lambda: torch.zeros_like(torch.ones(2), device="npu"),
        [0.0] * 2,
    ),
    "new_tensor": (lambda: torch.ones(2).npu().new_tensor([7]), [7.0]),
    "new_zeros": (lambda: torch.ones(2).npu().new_zeros(1), [0.0]),
    "from npu numbers": (lambda: torch.tensor([torch.ones(()).npu()], device="npu"), [1.0]),
}


@pytest.mark.parametrize("name", MADE)
def test_tensor_lies_on_the_npu_with_its_values(name: str) -> None:
    make, values = MADE[name]
    tensor = make()
    assert str(tensor.device) == "npu:0"
    assert tensor.is_npu
    assert tensor.cpu().tolist() == values


UNINITIALISED: dict[str, Make] = {
    "empty": lambda: torch.empty((2, 3), device="npu"),
    "empty_like": lambda: torch.empty_like(torch.ones(2, 3).npu()),
    "empty_strided": lambda: torch.empty_strided((2, 3), (3, 1), device="npu"),
    "new_empty": lambda: torch.ones(1).npu().new_empty((2, 3)),
    "randn": lambda: torch.randn(2, 3, device="npu"),
    "rand": lambda: torch.rand(2, 3, device="npu"),
}


@pytest.mark.parametrize("name", UNINITIALISED)
def test_tensor_lies_on_the_npu_with_its_shape(name: str) -> None:
    tensor = UNINITIALISED[name]()
    assert (tensor.device.type, tensor.shape, tensor.stride()) == ("npu", (2, 3), (3, 1))


def test_strides_of_empty_strided_are_kept() -> None:
    assert torch.empty_strided((2, 3), (1, 2), device="npu").stride() == (1, 2)


def test_default_device_reaches_factories() -> None:
    torch.set_default_device("npu")
    try:
        assert torch.ones(2).device.type == "npu"
    finally:
        torch.set_default_device(None)
    assert torch.ones(2).device.type == "cpu"


def test_with_device_reaches_factories() -> None:
    with torch.device("npu"):
        assert torch.ones(2).device.type == "npu"


def test_factories_work_in_another_thread() -> None:
    made: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: made.append(torch.ones(2, device="npu")))
    thread.start()
    thread.join()
    assert made[0].tolist() == [1.0, 1.0]
    assert made[0].device.type == "npu"
