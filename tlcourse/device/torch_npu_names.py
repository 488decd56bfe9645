"""The names that `import torch_npu` gives on the simulated device.

`torch_npu.profiler` is missing on purpose: it records hardware counters. The timeline of
a launch (`kernel.launch(...).timeline`) shows what the simulated chip did.
"""

from __future__ import annotations

from tlcourse.device import npu, setup
from tlcourse.device.missing import missing

setup.install()

__version__ = "0.0.0+tlcourse.simulated"

__all__ = ["__version__", "npu"]


def __getattr__(name: str) -> object:
    """Raises the error for what is not here.

    Raises:
        TL443: the simulated device has no such name.
    """
    raise missing("torch_npu", name, __all__)
