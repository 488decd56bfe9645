"""Every test here has the npu, an empty cache of its own and a plain environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse import device

_VARIABLES = (
    "TILELANG_ASCEND_MODE",
    "TILELANG_ASCEND_DEVICE_NAME",
    "TILELANG_DISABLE_CACHE",
    "TLCOURSE_COMPILER",
    "TLCOURSE_EXECUTION",
    "TLCOURSE_CHECKS",
)


@pytest.fixture(autouse=True)
def _plain_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device.install()
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))
