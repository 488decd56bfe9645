"""npu tensors in other processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import torch
import torch.multiprocessing as processes
from tlcourse import device

def work(there, back):
    device.install()
    x = there.get()
    back.put((x * 2, torch.nn.Parameter(x)))
    there.get()

if __name__ == "__main__":
    device.install()
    context = processes.get_context("START")
    there, back = context.Queue(), context.Queue()
    worker = context.Process(target=work, args=(there, back))
    worker.start()
    there.put(torch.tensor([1.0, 2.5]).npu())
    double, parameter = back.get(timeout=120)
    print(double.device, double.tolist(), isinstance(parameter, torch.nn.Parameter))
    there.put(None)
    worker.join()
    print(worker.exitcode)
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_tensors_travel_through_a_queue(start: str, tmp_path: Path) -> None:
    if start == "fork" and sys.platform == "win32":
        pytest.skip("Windows has no fork")
    file = tmp_path / "queue_of_tensors.py"
    file.write_text(SCRIPT.replace("START", start))
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.stdout == "npu:0 [2.0, 5.0] True\n0\n", done.stderr
