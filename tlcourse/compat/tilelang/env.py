"""`tilelang.env` as a module; the name `tilelang.env` itself is the object."""

from __future__ import annotations

from tlcourse.jit.cache import disable_cache, enable_cache, is_cache_enabled
from tlcourse.jit.env import Environment, env

__all__ = ["Environment", "disable_cache", "enable_cache", "env", "is_cache_enabled"]
