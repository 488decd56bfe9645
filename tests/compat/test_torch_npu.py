"""`import torch_npu` where no NPU is."""

from __future__ import annotations

import importlib

import pytest
import torch

import tlcourse  # noqa: F401  puts the finder in place


def test_one_module_under_all_its_names() -> None:
    package = importlib.import_module("torch_npu")
    assert package.npu is torch.npu
    assert importlib.import_module("torch_npu.npu") is torch.npu
    assert package.npu is torch.npu


@pytest.mark.parametrize("part", ["profiler", "contrib"])
def test_parts_for_hardware_say_what_to_use(part: str) -> None:
    with pytest.raises(ImportError, match=rf"no torch_npu\.{part}") as caught:
        importlib.import_module(f"torch_npu.{part}")
    assert caught.value.code == "TL443"
    with pytest.raises(AttributeError, match="TL443"):
        getattr(importlib.import_module("torch_npu"), part)


def test_packages_may_add_names(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("torch_npu")
    monkeypatch.setattr(package, "my_gemm", torch.mm, raising=False)
    assert package.my_gemm is torch.mm


def test_library_kernels_name_torch_s_own() -> None:
    package = importlib.import_module("torch_npu")
    with pytest.raises(AttributeError, match="scaled_dot_product_attention"):
        package.npu_fusion_attention(torch.ones(1).npu())
