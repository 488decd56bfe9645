"""Tensors that a profiler makes up."""

from __future__ import annotations

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.jit.supply import KernelParam, TensorSupplyType, supply


def param(dtype: torch.dtype, *shape: int | str) -> KernelParam:
    return KernelParam(name="A", dtype=dtype, shape=shape)


@pytest.mark.parametrize("kind", TensorSupplyType)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.bool]
)
def test_shape_dtype_and_place(kind: TensorSupplyType, dtype: torch.dtype) -> None:
    made = supply(param(dtype, 3, 5), kind)
    assert (made.shape, made.dtype, made.device.type) == ((3, 5), dtype, "npu")


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        (TensorSupplyType.Zero, 0, 0),
        (TensorSupplyType.One, 1, 1),
        (TensorSupplyType.Uniform, -1, 1),
        (TensorSupplyType.Auto, -1, 1),
        (TensorSupplyType.Integer, -2, 2),
    ],
)
def test_range_of_floats(kind: TensorSupplyType, least: int, most: int) -> None:
    torch.manual_seed(1)
    made = supply(param(torch.float32, 400), kind)
    assert least <= made.min().item()
    assert made.max().item() <= most


def test_integers_are_small_and_both_signs() -> None:
    torch.manual_seed(1)
    made = supply(param(torch.int32, 400), TensorSupplyType.Auto)
    assert sorted(set(made.tolist())) == [-2, -1, 0, 1, 2]


def test_torch_s_seed_decides() -> None:
    made: list[torch.Tensor] = []
    for _ in range(2):
        torch.manual_seed(3)
        made.append(supply(param(torch.float32, 8), TensorSupplyType.Randn))
    assert torch.equal(made[0], made[1])


@pytest.mark.parametrize("shape", [(), ("N",), (4, "N + 1")], ids=str)
def test_scalar_or_open_shape(shape: tuple[int | str, ...]) -> None:
    with pytest.raises(TLError) as caught:
        supply(param(torch.float32, *shape), TensorSupplyType.Auto)
    assert caught.value.code == "TL434"
    assert "input_tensors" in caught.value.diagnostic.fix
