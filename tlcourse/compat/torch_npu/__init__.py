"""`import torch_npu`: registers the simulated device and gives its names."""

from __future__ import annotations

from tlcourse.device import torch_npu_names as _names

__version__ = _names.__version__
npu = _names.npu

__all__ = ["__version__", "_autoload", "npu"]


def __getattr__(name: str) -> object:
    """Raises the error for what is not here.

    Raises:
        TL443: the simulated device has no such name.
    """
    return getattr(_names, name)


def _autoload() -> None:
    """Called by torch where the real torch_npu is installed but ours serves; nothing is left."""
