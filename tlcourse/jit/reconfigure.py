"""A kernel once more, with other options of the passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tlcourse.dialects.signature import stamp
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.pass_config import normal_pass_configs


def with_pass_configs(kernel: Kernel, configs: Mapping[str, object]) -> Kernel:
    """The same kernel with further `pass_configs`, which override its own.

    Raises:
        TL325: a pass that cannot be exchanged is named in `tlcourse.swap`.
        TL431: a value has no meaning.
    """
    merged = {**kernel.settings.pass_configs, **normal_pass_configs(configs)}
    module = kernel.module.clone()
    launch = kernel.launch_signature
    stamp(
        module,
        mode=launch.mode,
        target=launch.target,
        out_idx=launch.out_idx,
        pass_configs=merged,
    )
    settings = replace(kernel.settings, pass_configs=merged)
    return Kernel(module, kernel.sources, settings, kernel.prim_func)
