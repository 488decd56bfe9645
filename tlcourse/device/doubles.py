"""Tells of float64 on the npu, once for each line that brings it there."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import torch

from tlcourse.diagnostics import Diagnostic, render_text

_TORCH = Path(torch.__file__).parent
_NOT_THE_USERS = (str(_TORCH), str(Path(__file__).parent))
_ITS_OWN_AFFAIR = str(_TORCH / "amp")  # a gradient scaler inverts its scale in float64

_FLOAT64 = Diagnostic(
    code="TL447",
    severity="warning",
    what="float64 on npu:0",
    why="hardware computes with float32 in its place; the simulated device keeps float64",
    fix="write .float() to get the same numbers on both",
)


def warn_of_float64() -> None:
    """Warns at the user's line. Python shows a warning once a line.

    Source: the NPU's vector and cube cores have no float64; torch_npu computes with float32
    in its place and says so once a process.
    """
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    while frame.f_back and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        if frame.f_code.co_filename.startswith(_ITS_OWN_AFFAIR):
            return
        frame, level = frame.f_back, level + 1
    warnings.warn(render_text(_FLOAT64, {}), stacklevel=level)
