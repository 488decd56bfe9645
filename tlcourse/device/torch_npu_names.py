"""The names that `import torch_npu` gives on the simulated device.

`torch_npu.profiler` is missing on purpose: it records hardware counters. The timeline of
a launch (`kernel.launch(...).timeline`) shows what the simulated chip did.
"""

from __future__ import annotations

from tlcourse.device import npu, operators, setup
from tlcourse.device.missing import missing

setup.install()

__version__ = "0.0.0+tlcourse.simulated"

__all__ = ["__version__", "npu"]


def __getattr__(name: str) -> object:
    """The operator that a package registered, or the error for what is not here.

    Raises:
        TL443: the simulated device has no such name.
    """
    operator = operators.find(name)
    if operator is not None:
        return operator
    raise missing("torch_npu", name, [*__all__, *operators.names()])
