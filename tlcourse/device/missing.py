"""Names that the real torch_npu has and the simulated device has not, and what to use instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tlcourse.device.errors import NoSuchModuleError, NoSuchNameError, no_such_name

_TIME = "kernel.get_profiler().do_bench() for time, kernel.launch(..).timeline for the pipes"
_MEMORY = "torch.npu.memory_allocated(), the bytes in use now"
_AUTOCAST = 'torch.amp.autocast("npu") and torch.amp.GradScaler("npu")'
_PLACE = '.npu() and device="npu"'

_INSTEAD = {
    "profiler": _TIME,
    "prof": _TIME,
    "mstx": _TIME,
    "amp": _AUTOCAST,
    "contrib": _PLACE,
    "testing": "torch.testing",
    "optim": "torch.optim",
    "distributed": "one NPU in one process",
    "max_memory_allocated": _MEMORY,
    "max_memory_reserved": _MEMORY,
    "max_memory_cached": _MEMORY,
    "memory_cached": _MEMORY,
    "memory_stats": _MEMORY,
    "memory_summary": _MEMORY,
    "memory_snapshot": _MEMORY,
    "get_device_capability": "torch.npu.get_device_properties()",
    "NPUGraph": "the kernel itself: a launch has no cost that a graph would save",
    "graph": "the kernel itself: a launch has no cost that a graph would save",
    "make_graphed_callables": "the function itself",
    "npu_format_cast": "the tensor itself in row order; T.nd2nz changes the order in a kernel",
    "npu_fusion_attention": "torch.nn.functional.scaled_dot_product_attention",
    "npu_prompt_flash_attention": "torch.nn.functional.scaled_dot_product_attention",
    "npu_incre_flash_attention": "torch.nn.functional.scaled_dot_product_attention",
    "npu_fused_infer_attention_score": "torch.nn.functional.scaled_dot_product_attention",
    "npu_rms_norm": "torch.nn.functional.rms_norm",
    "npu_add_rms_norm": "an addition and torch.nn.functional.rms_norm",
    "npu_swiglu": "a, b = x.chunk(2, -1); torch.nn.functional.silu(a) * b",
    "npu_gelu": "torch.nn.functional.gelu",
    "fast_gelu": "torch.nn.functional.gelu",
    "npu_rotary_mul": "x * cos + rotate_half(x) * sin",
    "npu_dtype_cast": "Tensor.to(dtype)",
    "npu_linear": "torch.nn.functional.linear",
    "npu_bmmV2": "torch.bmm",
    "npu_transpose": "Tensor.permute",
    "npu_scatter": "Tensor.index_put_",
}


def missing(module: str, name: str, there: Iterable[str]) -> AttributeError:
    """The error for a name that `module` has not.

    Args:
        module: the module as the learner writes it, `torch.npu`.
        name: the name asked for.
        there: the names it has.
    """
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    near = difflib.get_close_matches(name, [n for n in there if not n.startswith("_")], n=1)
    instead = _INSTEAD.get(name) or (f"{module}.{near[0]}" if near else "")
    return NoSuchNameError(no_such_name(f"{module}.{name}", instead))


def missing_part(name: str) -> NoSuchModuleError:
    """The error for `import torch_npu.<name>`, a part that the simulated device has not."""
    return NoSuchModuleError(no_such_name(f"torch_npu.{name}", _INSTEAD[name]))
