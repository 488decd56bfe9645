"""Every test here runs with the simulated device in place."""

from __future__ import annotations

import pytest

from tlcourse import device


@pytest.fixture(autouse=True, scope="session")
def _npu_is_there() -> None:
    device.install()
