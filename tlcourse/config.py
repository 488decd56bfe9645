"""Every environment variable that the package reads, in one place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

from tlcourse.records import Backend, Mode

YES = ("1", "true", "t", "yes", "y", "on")
NO = ("0", "false", "f", "no", "n", "off")
_EXPERT_WORDS = ("", "expert", "exp", "e")


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings from the environment. Read once where a kernel is made, never kept.

    Args:
        mode: TILELANG_ASCEND_MODE; unset, `expert`, `exp` or `e` is Expert, all else Developer.
        backend: TLCOURSE_COMPILER, which back half compiles: `embedded` or `bishengir`.
        execution: TLCOURSE_EXECUTION, how a kernel runs: `simulator` or `functional`.
        engine: TLCOURSE_ENGINE, what the functional executor computes with: `torch`; `native`,
            C that the system's compiler builds, for kernels that have such a form; or `auto`,
            C where a precompiled package brings it.
        checks: TLCOURSE_CHECKS, how much the simulator checks: `off`, `class` or `all`.
        device_name: TILELANG_ASCEND_DEVICE_NAME, the chip.
        cache_dir: TILELANG_CACHE_DIR, default `~/.tilelang/cache`.
        cache_enabled: TILELANG_DISABLE_CACHE unset or 0.
        bishengir_opt: TLCOURSE_BISHENGIR_OPT, path of the real compiler's `bishengir-opt`;
            empty means the one of the installed wheel.
        step_limit: TLCOURSE_STEP_LIMIT, steps after which a launch is given up.
        bounds: TLCOURSE_BOUNDS; `device` lets a kernel leave a tensor by as much as the device's
            allocator rounds up, with a warning. Else that is an error.
        strict: TLCOURSE_STRICT, a yes or no; every finding of a launch is raised.
        dump_ir: TILELANG_DUMP_IR, print the IR of every kernel that is made.
        lower_trace: TL_LOWER_TRACE, where the passes of every kernel that is made are shown.
        lower_trace_dir: TL_LOWER_TRACE_DIR, the folder of their pages.
        enable_simt: TILELANG_ENABLE_SIMT, a yes or no; the simulated chip has nothing for it.
        tuning_cpu_share: TILELANG_AUTO_TUNING_CPU_UTILITIES, the share of the machine's cores
            that compile configurations.
        tuning_cpus: TILELANG_AUTO_TUNING_CPU_COUNTS, their number instead, where above 0.
        tuning_most_cpus: TILELANG_AUTO_TUNING_MAX_CPU_COUNT, the most, where above 0.
        tuning_cache_enabled: TILELANG_AUTO_TUNING_DISABLE_CACHE unset or 0.
    """

    mode: Mode
    backend: Backend
    execution: Literal["simulator", "functional"]
    checks: Literal["off", "class", "all"]
    device_name: str
    cache_dir: Path
    cache_enabled: bool
    bishengir_opt: str
    step_limit: str
    bounds: str
    strict: bool = False
    engine: str = "auto"
    dump_ir: bool = False
    lower_trace: str = ""
    lower_trace_dir: str = "tmp/lower_trace_dir"
    enable_simt: str = ""
    tuning_cpu_share: str = "0.9"
    tuning_cpus: str = "-1"
    tuning_most_cpus: str = "-1"
    tuning_cache_enabled: bool = True


# Every variable, and HOME and USERPROFILE, which `~` stands for.
_VARIABLES = (
    *("TILELANG_ASCEND_MODE", "TLCOURSE_COMPILER", "TLCOURSE_EXECUTION", "TLCOURSE_CHECKS"),
    *("TILELANG_ASCEND_DEVICE_NAME", "TILELANG_CACHE_DIR", "TILELANG_DISABLE_CACHE"),
    *("TLCOURSE_BISHENGIR_OPT", "TLCOURSE_STEP_LIMIT", "TLCOURSE_BOUNDS", "TLCOURSE_ENGINE"),
    *("TLCOURSE_STRICT", "TILELANG_DUMP_IR", "TL_LOWER_TRACE", "TL_LOWER_TRACE_DIR"),
    *("TILELANG_ENABLE_SIMT", "TILELANG_AUTO_TUNING_CPU_UTILITIES"),
    *("TILELANG_AUTO_TUNING_CPU_COUNTS", "TILELANG_AUTO_TUNING_MAX_CPU_COUNT"),
    *("TILELANG_AUTO_TUNING_DISABLE_CACHE", "HOME", "USERPROFILE"),
)


# What a launch on the functional executor asks for: fewer look-ups, for it may take 1 ms in all.
_OF_A_LAUNCH = (
    *("TLCOURSE_ENGINE", "TLCOURSE_BOUNDS", "TLCOURSE_STEP_LIMIT"),
    *("TILELANG_CACHE_DIR", "HOME", "USERPROFILE"),
)


def read_config() -> Config:
    """The settings that the environment holds now."""
    return _config_of(_VARIABLES, tuple(map(os.environ.get, _VARIABLES)))


def read_launch_config() -> Config:
    """The same for a launch: engine, bounds, step limit and cache_dir; all else is the default."""
    return _config_of(_OF_A_LAUNCH, tuple(map(os.environ.get, _OF_A_LAUNCH)))


@lru_cache(maxsize=64)
def _config_of(names: tuple[str, ...], values: tuple[str | None, ...]) -> Config:
    """The settings of a state of the environment; a launch asks for them several times."""
    given = {name: text for name, text in zip(names, values, strict=True) if text is not None}
    env = given.get
    return Config(
        mode=mode_from(env("TILELANG_ASCEND_MODE", "")),
        backend=cast(Backend, env("TLCOURSE_COMPILER", "embedded")),
        execution=cast(Literal["simulator", "functional"], env("TLCOURSE_EXECUTION", "simulator")),
        checks=cast(Literal["off", "class", "all"], env("TLCOURSE_CHECKS", "class")),
        device_name=env("TILELANG_ASCEND_DEVICE_NAME", "Ascend910B1"),
        cache_dir=Path(env("TILELANG_CACHE_DIR", "~/.tilelang/cache")).expanduser(),
        cache_enabled=not is_yes(env("TILELANG_DISABLE_CACHE", "")),
        bishengir_opt=env("TLCOURSE_BISHENGIR_OPT", ""),
        step_limit=env("TLCOURSE_STEP_LIMIT", "100000000"),
        bounds=env("TLCOURSE_BOUNDS", "tensor"),
        engine=env("TLCOURSE_ENGINE", "auto"),
        strict=is_yes(env("TLCOURSE_STRICT", "")),
        dump_ir=is_yes(env("TILELANG_DUMP_IR", "")),
        lower_trace=env("TL_LOWER_TRACE", ""),
        lower_trace_dir=env("TL_LOWER_TRACE_DIR", "tmp/lower_trace_dir"),
        enable_simt=env("TILELANG_ENABLE_SIMT", ""),
        tuning_cpu_share=env("TILELANG_AUTO_TUNING_CPU_UTILITIES", "0.9"),
        tuning_cpus=env("TILELANG_AUTO_TUNING_CPU_COUNTS", "-1"),
        tuning_most_cpus=env("TILELANG_AUTO_TUNING_MAX_CPU_COUNT", "-1"),
        tuning_cache_enabled=not is_yes(env("TILELANG_AUTO_TUNING_DISABLE_CACHE", "")),
    )


def is_yes(text: str) -> bool:
    """Whether a variable of upstream's that takes yes or no says yes."""
    return text.strip().lower() in YES


def mode_from(text: str) -> Mode:
    """The mode that a value of TILELANG_ASCEND_MODE names, by upstream's rule."""
    return "Expert" if text.strip().lower() in _EXPERT_WORDS else "Developer"
