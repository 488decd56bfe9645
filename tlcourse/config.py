"""Every environment variable that the package reads, in one place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from tlcourse.records import Backend, Mode

_EXPERT_WORDS = ("", "expert", "exp", "e")


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings from the environment. Read once where a kernel is made, never kept.

    Args:
        mode: TILELANG_ASCEND_MODE; unset, `expert`, `exp` or `e` is Expert, all else Developer.
        backend: TLCOURSE_COMPILER, which back half compiles: `embedded` or `bishengir`.
        execution: TLCOURSE_EXECUTION, how a kernel runs: `simulator` or `functional`.
        checks: TLCOURSE_CHECKS, how much the simulator checks: `off`, `class` or `all`.
        device_name: TILELANG_ASCEND_DEVICE_NAME, the chip.
        cache_dir: TILELANG_CACHE_DIR, default `~/.tilelang/cache`.
        cache_enabled: TILELANG_DISABLE_CACHE unset or 0.
        bishengir_opt: TLCOURSE_BISHENGIR_OPT, path of the real compiler's `bishengir-opt`;
            empty means the one of the installed wheel.
    """

    mode: Mode
    backend: Backend
    execution: Literal["simulator", "functional"]
    checks: Literal["off", "class", "all"]
    device_name: str
    cache_dir: Path
    cache_enabled: bool
    bishengir_opt: str


def read_config() -> Config:
    """The settings that the environment holds now."""
    env = os.environ.get
    return Config(
        mode=mode_from(env("TILELANG_ASCEND_MODE", "")),
        backend=cast(Backend, env("TLCOURSE_COMPILER", "embedded")),
        execution=cast(Literal["simulator", "functional"], env("TLCOURSE_EXECUTION", "simulator")),
        checks=cast(Literal["off", "class", "all"], env("TLCOURSE_CHECKS", "class")),
        device_name=env("TILELANG_ASCEND_DEVICE_NAME", "Ascend910B1"),
        cache_dir=Path(env("TILELANG_CACHE_DIR", "~/.tilelang/cache")).expanduser(),
        cache_enabled=env("TILELANG_DISABLE_CACHE", "0") in ("", "0"),
        bishengir_opt=env("TLCOURSE_BISHENGIR_OPT", ""),
    )


def mode_from(text: str) -> Mode:
    """The mode that a value of TILELANG_ASCEND_MODE names, by upstream's rule."""
    return "Expert" if text.strip().lower() in _EXPERT_WORDS else "Developer"
