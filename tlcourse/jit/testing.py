"""`tilelang.testing`: the few helpers that tests of kernels use."""

from __future__ import annotations

import random
import sys

import numpy as np
import torch

from tlcourse.jit.closeness import assert_close


def set_random_seed(seed: int = 0) -> None:
    """Seeds the random numbers of Python, NumPy and torch."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def torch_assert_close(
    tensor_a: torch.Tensor,
    tensor_b: torch.Tensor,
    rtol: float = 1e-2,
    atol: float = 1e-3,
    max_mismatched_ratio: float = 0.001,
    base_name: str = "LHS",
    ref_name: str = "RHS",
    **accepted: object,
) -> bool:
    """Compares two tensors; a part of their elements may differ more.

    Args:
        tensor_a: what was computed.
        tensor_b: what should have been.
        rtol: allowed difference as a part of it.
        atol: allowed difference.
        max_mismatched_ratio: the part of all elements that may differ more.
        base_name: what messages call the first one.
        ref_name: accepted; messages call the second one the reference.
        accepted: other options of upstream's, without effect.

    Raises:
        TL435: they differ.
    """
    ratio = max_mismatched_ratio
    assert_close(
        tensor_a, tensor_b, rtol=rtol, atol=atol, max_mismatched_ratio=ratio, name=base_name
    )
    return True


def main() -> None:
    """Runs pytest on the file that calls, and leaves Python with its result."""
    import pytest

    caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    sys.exit(pytest.main([caller.f_code.co_filename]))
