"""Small helpers of upstream's host side: core counts, ceiling division, the log level."""

from __future__ import annotations

import logging
from functools import cache

import torch

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Chip
from tlcourse.config import read_config
from tlcourse.diagnostics import error
from tlcourse.jit.dtypes import TORCH_DTYPES

_DEVICES = 1  # the simulated machine has one chip


def cdiv(a: int, b: int) -> int:
    """How many pieces of length b cover a."""
    return -(-a // b)


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below x."""
    return 1 << (x - 1).bit_length()


def set_log_level(level: str | int) -> None:
    """Sets how much the package says, for example `"WARNING"` or `logging.INFO`."""
    number = logging.getLevelNamesMapping().get(str(level).upper(), logging.INFO)
    logging.getLogger("tlcourse").setLevel(level if isinstance(level, int) else number)


def map_torch_type(intype: str) -> torch.dtype:
    """The torch dtype of a TileLang name.

    Raises:
        TL405: kernels have no such dtype.
    """
    if intype not in TORCH_DTYPES:
        raise error(
            "TL405",
            f'"{intype}" is no dtype of a kernel',
            why=f"kernels have {', '.join(TORCH_DTYPES)}",
            fix='write "float16", "float32" or another one of them',
        )
    return TORCH_DTYPES[intype]


class NPUUtils:
    """Numbers of the chip that kernels choose their grid by.

    Differs from upstream: they come from the chip's file, not from a driver.
    """

    @staticmethod
    @cache
    def get() -> NPUUtils:
        """The one helper of this process; it holds no state."""
        return NPUUtils()

    def get_arch(self) -> str:
        """The chip's name, for example `Ascend910B1`."""
        return self._chip().name

    def get_aicore_num(self) -> int:
        """Groups of one cube core and its vector cores."""
        return self._chip().core_groups

    def get_aicube_core_num(self) -> int:
        """Cube cores."""
        return self._chip().core_groups

    def get_aivector_core_num(self) -> int:
        """Vector cores."""
        return self._chip().core_groups * self._chip().vector_cores_per_group

    def get_device_num(self) -> int:
        """NPUs on this machine."""
        return _DEVICES

    def _chip(self) -> Chip:
        return CHIPS.get(read_config().device_name, DEFAULT_CHIP)
