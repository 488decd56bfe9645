"""What the passes may do on their own, and upstream's names for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tlcourse.bishengir import BishengOptions


@dataclass(frozen=True, kw_only=True)
class PassOptions:
    """What the passes may do on their own.

    Args:
        auto_multi_buffer: give buffers that a loop refills a second copy.
        inject_sync: insert the flags and barriers inside a core.
        inject_block_sync: insert the flags between cores (Developer).
        bind_sub_block: share vector work between the two vector cores (Developer).
        plan_buffer_location: move each buffer to the innermost place that holds its uses.
    """

    auto_multi_buffer: bool = True
    inject_sync: bool = True
    inject_block_sync: bool = True
    bind_sub_block: bool = True
    plan_buffer_location: bool = True

    def for_real_compiler(self) -> BishengOptions:
        """The same for the real compiler."""
        return BishengOptions(
            auto_multi_buffer=self.auto_multi_buffer,
            auto_inject_sync=self.inject_sync,
            auto_inject_block_sync=self.inject_block_sync,
            bind_sub_block=self.bind_sub_block,
        )

    def with_configs(self, configs: Mapping[str, object]) -> PassOptions:
        """The options after upstream's `pass_configs`; keys without effect here are passed over."""
        changes: dict[str, bool] = {}
        for key, (name, meaning) in _CONFIGS.items():
            if key in configs:
                is_on = str(configs[key]).strip().lower() in ("1", "true", "on")
                changes[name] = is_on is meaning
        return replace(self, **changes)


# Upstream's key, our option, and whether `True` there means `True` here.
_CONFIGS = {
    "npuir.enable_auto_multi_buffer": ("auto_multi_buffer", True),
    "npuir.disable_hivm_auto_inject_sync": ("inject_sync", False),
    "tl.enable_plan_and_update_buffer_allocation": ("plan_buffer_location", True),
}
