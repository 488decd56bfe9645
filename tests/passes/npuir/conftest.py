"""Running single passes of the real compiler beside ours."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RealPass = Callable[..., str]


@pytest.fixture
def real_passes(bishengir_opt: Path) -> RealPass:
    """Runs passes of bishengir-opt on a text; the module knows the chip's memories."""

    def run(text: str, *names: str) -> str:
        spec = "hacc-append-device-spec{target=Ascend910B1}"
        pipeline = f"builtin.module({','.join((spec, *names))})"
        done = subprocess.run(
            [bishengir_opt, f"--pass-pipeline={pipeline}"],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
