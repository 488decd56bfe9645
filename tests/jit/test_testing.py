"""`tilelang.testing`."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tlcourse.jit.testing import set_random_seed, torch_assert_close


def test_seed_of_everything() -> None:
    drawn: list[tuple[float, float, float]] = []
    for _ in range(2):
        set_random_seed(5)
        drawn.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert drawn[0] == drawn[1]


def test_assert_close() -> None:
    assert torch_assert_close(torch.ones(2), torch.ones(2), verbose=True)
    with pytest.raises(AssertionError, match="of got differ"):
        torch_assert_close(torch.ones(2), torch.zeros(2), base_name="got")


def test_main_runs_the_file_that_calls(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(
        "from tlcourse.jit.testing import main\n"
        "def test_fails():\n    assert False\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    done = subprocess.run(
        [sys.executable, str(file)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "1 failed" in done.stdout
    assert done.returncode == 1
