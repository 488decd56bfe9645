"""The measured kernels, loaded from their files, and a way to run one."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tlcourse.device import install
from tlcourse.jit import compile

KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels"
BY_HAND = {"npuir.enable_auto_multi_buffer": False}


@pytest.fixture(scope="session")
def kernels() -> Callable[[str], ModuleType]:
    """The module of a file of kernels."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"measured_{name}", KERNELS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def launched():
    """Runs a kernel on the simulator: its outputs and the codes of its findings."""

    def run(function, mode, out_idx, *tensors, by_hand=False):
        kernel = compile(
            function, out_idx=out_idx, mode=mode, pass_configs=BY_HAND if by_hand else None
        )
        launch = kernel.launch(*(tensor.npu() for tensor in tensors))
        codes = [finding.diagnostic.code for finding in launch.findings]
        return [output.cpu() for output in launch.outputs], codes

    return run


@pytest.fixture(autouse=True)
def _same_numbers() -> None:
    install()
    torch.manual_seed(0)
