"""float64 on the npu: kept, and told of."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch


@pytest.mark.parametrize(
    "bring",
    [
        lambda: torch.ones(2, dtype=torch.float64).npu(),
        lambda: torch.ones(2, dtype=torch.float64, device="npu"),
        lambda: torch.ones(2).npu().double(),
        lambda: torch.nn.Linear(2, 2).npu().double().weight,
    ],
    ids=[".npu()", "factory", ".double()", "module"],
)
def test_bringing_it_there_warns_and_keeps_it(bring: Callable[[], torch.Tensor]) -> None:
    with pytest.warns(UserWarning, match=r"warning\[TL447\]: float64 on npu:0") as caught:
        x = bring()
    assert x.dtype == torch.float64
    assert {warning.filename for warning in caught} == {__file__}


def test_computing_with_it_says_nothing_more() -> None:
    with pytest.warns(UserWarning, match="TL447"):
        x = torch.ones(2, dtype=torch.float64).npu()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x / 3).sum().item() == pytest.approx(2 / 3, abs=1e-15)
