"""The dtype table of launches and the poison of outputs."""

from __future__ import annotations

import pytest
import torch

from tlcourse.dialects.dtypes import DTYPES
from tlcourse.jit.dtypes import TORCH_DTYPES, int_range, poisoned, torch_name


def test_table_is_the_language_s() -> None:
    assert {name: torch_name(dtype) for name, dtype in TORCH_DTYPES.items()} == {
        name: row.torch for name, row in DTYPES.items()
    }
    assert {name: dtype.itemsize * 8 for name, dtype in TORCH_DTYPES.items()} == {
        name: row.bits for name, row in DTYPES.items()
    }


@pytest.mark.parametrize("dtype", TORCH_DTYPES)
def test_poison_is_in_every_element(dtype: str) -> None:
    tensor = poisoned((2, 3), dtype)
    assert (tensor.shape, torch_name(tensor.dtype)) == ((2, 3), dtype)
    if "float" in dtype:
        assert tensor.isnan().all()
    else:
        wanted = True if dtype == "bool" else int("7B" * tensor.itemsize, 16)
        assert tensor.flatten().tolist() == [wanted] * 6


def test_range_of_integers() -> None:
    assert int_range("int8") == (-128, 127)
    assert int_range("uint16") == (0, 65535)


def test_poison_of_nothing() -> None:
    assert poisoned((0, 4), "int32").numel() == 0
    assert poisoned((), "float32").isnan()
    assert isinstance(poisoned((1,), "bool"), torch.Tensor)
