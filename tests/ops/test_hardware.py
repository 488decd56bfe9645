"""The way to an NPU, with stand-ins for the real tilelang and torch_npu."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.language import PrimFunc
from tlcourse.ops import hardware
from tlcourse.ops.registration import Operator, register

from .conftest import NAME
from .test_loading import opened


class StandIn(ModuleType):
    """Notes how it is asked to compile; its kernels double their input."""

    def __init__(self) -> None:
        super().__init__("tilelang")
        self.asked: list[tuple[str, list[int], str, str]] = []

    def compile(self, func: object, out_idx: Sequence[int], target: str) -> object:
        import os

        assert isinstance(func, PrimFunc)
        mode = os.environ["TILELANG_ASCEND_MODE"]
        self.asked.append((func.name, list(out_idx), target, mode))
        return lambda *tensors: tensors[0] * 2


@pytest.fixture
def tilelang(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    # The kernels' texts need tilelang.language as well.
    import tilelang.language as language

    monkeypatch.setitem(sys.modules, "tilelang", made)
    monkeypatch.setitem(sys.modules, "tilelang.language", language)
    made.language = language  # type: ignore[attr-defined]
    monkeypatch.setattr(hardware, "is_served", lambda: True)
    for cache in (hardware._kernel, hardware._recipes):
        cache.cache_clear()
    return made


def test_kernels_are_compiled_by_the_real_tilelang_once(package: Path, tilelang: StandIn) -> None:
    kernel = opened(package)(NAME)
    x = torch.ones(3, 1024).half()
    for _ in range(2):
        assert kernel(x).unique().tolist() == [2.0]  # type: ignore[union-attr]
    assert tilelang.asked == [(NAME, [-1], "npuir", "Expert")]
    assert kernel(x.bfloat16()).dtype == torch.bfloat16  # type: ignore[union-attr]
    assert len(tilelang.asked) == 2


def test_a_package_without_its_kernels_texts_is_refused(package: Path, tilelang: StandIn) -> None:
    kernels = opened(package)
    (package / "compile" / "kernels" / "__init__.py").unlink()
    with pytest.raises(TLError, match="TL485"):
        kernels(NAME)(torch.ones(3, 1024).half())
    assert not tilelang.asked


def test_the_real_torch_npu_gets_the_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ModuleType("torch_npu")
    monkeypatch.setitem(sys.modules, "torch_npu", real)
    twice = Operator(
        name="twice_there",
        schema="(Tensor x) -> Tensor",
        run=lambda x: x * 2,
        fake=torch.empty_like,
    )
    register("opsthere", [twice])
    assert real.twice_there(torch.ones(2)).tolist() == [2.0, 2.0]  # type: ignore[attr-defined]
