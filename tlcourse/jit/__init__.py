"""The host side: `jit`, `compile`, kernel objects, their cache and their launches.

This is where the layers below are joined: a traced kernel comes in, is compiled when it is
first needed, takes npu tensors and gives numbers, findings and a timeline. Names load what
they need at their first use; `launch_program` runs a stored Program without the compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlcourse.jit.bench import Latency, do_bench
    from tlcourse.jit.binding import Bound, bind
    from tlcourse.jit.decorator import compile, jit, lower
    from tlcourse.jit.kernel import Kernel
    from tlcourse.jit.launch import Launch, launch_program
    from tlcourse.jit.profiler import Profiler
    from tlcourse.jit.report import FindingWarning, KernelWarning
    from tlcourse.jit.supply import TensorSupplyType
    from tlcourse.jit.tuning.arguments import AutotuneResult
    from tlcourse.jit.tuning.decorator import autotune
    from tlcourse.jit.tuning.tuner import AutoTuner

__all__ = [
    "AutoTuner",
    "AutotuneResult",
    "Bound",
    "FindingWarning",
    "Kernel",
    "KernelWarning",
    "Latency",
    "Launch",
    "Profiler",
    "TensorSupplyType",
    "autotune",
    "bind",
    "compile",
    "do_bench",
    "jit",
    "launch_program",
    "lower",
]

_HOME = {
    "Bound": "binding",
    "FindingWarning": "report",
    "Kernel": "kernel",
    "KernelWarning": "report",
    "Launch": "launch",
    "AutoTuner": "tuning.tuner",
    "AutotuneResult": "tuning.arguments",
    "Latency": "bench",
    "Profiler": "profiler",
    "TensorSupplyType": "supply",
    "autotune": "tuning.decorator",
    "bind": "binding",
    "compile": "decorator",
    "jit": "decorator",
    "launch_program": "launch",
    "do_bench": "bench",
    "lower": "decorator",
}


def __getattr__(name: str) -> object:
    """Loads a name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module 'tlcourse.jit' has no attribute '{name}'")
    return getattr(importlib.import_module(f"tlcourse.jit.{_HOME[name]}"), name)
