"""`tilelang.cache`."""

from __future__ import annotations

from tlcourse.jit.cache import (
    clear_cache,
    get_cache_dir,
    set_cache_dir,
)
from tlcourse.jit.cache import (
    clear_if_wanted as _clear_if_wanted,
)
from tlcourse.jit.decorator import compile as cached_npu
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["cached_npu", "clear_cache", "get_cache_dir", "set_cache_dir"]

__getattr__ = _asker("tilelang.cache", __all__)

_clear_if_wanted()
