"""The names that `import torch_npu` gives on the simulated device.

`torch_npu.profiler` is missing on purpose: it records hardware counters. The timeline of
a launch (`kernel.launch(...).timeline`) shows what the simulated chip did.
"""

from __future__ import annotations

from tlcourse.device import npu, setup

setup.install()

__version__ = "0.0.0+tlcourse.simulated"

__all__ = ["__version__", "npu"]
