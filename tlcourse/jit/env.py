"""`tilelang.env`: upstream's environment variables as attributes of one object."""

from __future__ import annotations

import os
from types import MappingProxyType

from tlcourse.config import read_config
from tlcourse.jit import cache
from tlcourse.jit.elsewhere import not_served

DEFAULTS = MappingProxyType(
    {
        "TILELANG_ASCEND_DEVICE_NAME": "",
        "TILELANG_ASCEND_MODE": "",
        "TILELANG_ASCEND_WORKSPACE_SIZE": "32768",
        "TILELANG_AUTO_TUNING_CPU_COUNTS": "-1",
        "TILELANG_AUTO_TUNING_CPU_UTILITIES": "0.9",
        "TILELANG_AUTO_TUNING_DISABLE_CACHE": "0",
        "TILELANG_AUTO_TUNING_MAX_CPU_COUNT": "-1",
        "TILELANG_BENCH_METHOD": "",
        "TILELANG_CLEANUP_TEMP_FILES": "0",
        "TILELANG_CLEAR_CACHE": "0",
        "TILELANG_DISABLE_CACHE": "0",
        "TILELANG_DUMP_IR": "",
        "TILELANG_ENABLE_SIMT": "",
        "TILELANG_ENABLE_TASKQUEUE": "true",
        "TILELANG_NPU_COMPILER_PATH": "",
        "TILELANG_PRINT_ON_COMPILATION": "0",
        "TILELANG_TMP_DIR": "",
    }
)
"""Variables that upstream reads, with its defaults. `tlcourse.config` says which have a meaning."""


class Environment:
    """Reads a variable where it is asked for, and sets it in this process and its children."""

    @property
    def TILELANG_CACHE_DIR(self) -> str:
        """The folder of the cache."""
        return str(read_config().cache_dir)

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in DEFAULTS:
            raise not_served(f"tilelang.env.{name}", "tilelang.env", DEFAULTS)
        return os.environ.get(name, DEFAULTS[name])

    def __setattr__(self, name: str, value: object) -> None:
        if name not in DEFAULTS and name != "TILELANG_CACHE_DIR":
            raise not_served(f"tilelang.env.{name}", "tilelang.env", DEFAULTS)
        os.environ[name] = str(value)

    def __dir__(self) -> list[str]:
        return sorted([*DEFAULTS, "TILELANG_CACHE_DIR"])

    def is_cache_enabled(self) -> bool:
        """Whether kernels are stored and found on disk."""
        return cache.is_cache_enabled()

    def enable_cache(self) -> None:
        """Lets kernels be stored and found on disk."""
        cache.enable_cache()

    def disable_cache(self) -> None:
        """Compiles every kernel anew."""
        cache.disable_cache()


env = Environment()
