"""The real AscendNPU IR compiler as a back half: `bishengir-opt`, run as a child process."""

from __future__ import annotations

from tlcourse.bishengir.bisheng_pass import BishengPass
from tlcourse.bishengir.failures import ToolError
from tlcourse.bishengir.find import find_tool
from tlcourse.bishengir.options import BishengOptions
from tlcourse.bishengir.recipe import compile_text, trace_text

__all__ = [
    "BishengOptions",
    "BishengPass",
    "ToolError",
    "compile_text",
    "find_tool",
    "trace_text",
]
