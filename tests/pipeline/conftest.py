"""MiniCV in each mode."""

from __future__ import annotations

import pytest

from tests.pipeline.minicv import MODES, Kernel


@pytest.fixture(params=MODES)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    return Kernel(request.param)
