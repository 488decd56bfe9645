"""Taking torch's extra device: once, late, and only when it is free."""

from __future__ import annotations

import subprocess
import sys

import torch

from tlcourse import device


def _python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def test_installing_again_changes_nothing() -> None:
    generator, module = torch.Generator, torch.npu
    device.install()
    assert torch.Generator is generator
    assert torch.npu is module


def test_package_imports_no_torch() -> None:
    done = _python("import sys, tlcourse.device; print('torch' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


def test_wrap_installs_by_itself() -> None:
    done = _python(
        "import torch\nfrom tlcourse import device\nprint(device.wrap(torch.ones(1)).device)"
    )
    assert done.stdout == "npu:0\n", done.stderr


def test_device_of_another_package_is_left_alone() -> None:
    done = _python(
        "import torch\n"
        "torch.utils.rename_privateuse1_backend('npu')\n"
        "from tlcourse import device\n"
        "from tlcourse.diagnostics import TLError\n"
        "try:\n"
        "    device.install()\n"
        "except TLError as error:\n"
        "    print(error)\n"
    )
    assert done.stdout.startswith('error[TL740]: torch already has an extra device, "npu"')
    assert "TLCOURSE_BACKEND=npu" in done.stdout
