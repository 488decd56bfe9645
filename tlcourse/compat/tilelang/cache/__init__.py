"""`tilelang.cache`."""

from __future__ import annotations

from tlcourse.jit.cache import clear_cache, get_cache_dir, set_cache_dir

__all__ = ["clear_cache", "get_cache_dir", "set_cache_dir"]
