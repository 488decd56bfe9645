"""`import torch_npu.profiler`: tells what to use instead."""

from __future__ import annotations

from tlcourse.device.missing import missing_part

raise missing_part("profiler")
