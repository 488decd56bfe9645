"""One launch, recorded and timed."""

from __future__ import annotations

import pytest

from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import compile
from tlcourse.jit.profiled import profile_of
from tlcourse.profile import Profile


@pytest.fixture(scope="session")
def profile() -> Profile:
    """MiniCV in Expert mode: a cube core and two vector cores, on its usual chip."""
    func = minicv_expert(256, 512, 128, block_M=64, block_N=128, block_K=64)
    return profile_of(
        compile(func, mode="Expert"), [(256, 128), (128, 512), (256, 512), (256, 512)]
    )
