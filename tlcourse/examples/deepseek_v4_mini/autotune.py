"""Tuning two operators on simulated time: tile sizes are tried, the best is kept on disk.

python -m tlcourse.examples.deepseek_v4_mini.autotune
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from tlcourse.config import read_config
from tlcourse.examples import mini_ops
from tlcourse.jit import AutoTuner, compile
from tlcourse.jit.supply import KernelParam
from tlcourse.ops import KernelRecipe
from tlcourse.ops.sources import read_package
from tlcourse.records import Mode, Parameter

Sizes = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """One tuned operator.

    Args:
        operator: its name.
        microseconds: simulated time of each configuration, shown as text.
        best: the one that was chosen.
        from_cache: whether the choice was found on disk, and nothing was run.
    """

    operator: str
    microseconds: dict[str, float]
    best: str
    from_cache: bool


SIZES: dict[str, Sizes] = {
    "rms_norm": {"M": 512, "N": 1024, "dtype": "float16"},
    "int8_gemm": {"M": 256, "N": 256, "K": 512, "dtype": "float16"},
}
CONFIGS: dict[str, Sequence[dict[str, object]]] = {
    "rms_norm": tuple({"block_M": rows} for rows in (1, 2, 4, 8)),
    "int8_gemm": tuple(
        {"block_M": rows, "block_N": columns} for rows in (32, 64, 128) for columns in (64, 128)
    ),
}


def tune(operator: str) -> Tuning:
    """Finds the best tile sizes of an operator, or looks up what an earlier run found."""
    package = read_package(Path(mini_ops.__file__).parent)
    recipe = next(one for one in package.recipes if one.operator == operator)
    configs = [dict(SIZES[operator]) | config for config in CONFIGS[operator]]
    tuner = AutoTuner.from_kernel(recipe.make, configs)
    tuner.set_compile_args(out_idx=list(recipe.out_idx)).set_profile_args(supply_prog=arguments)
    before = set(cached())
    with _mode(recipe.mode):
        result = tuner.run()
    times = {_shown(config): _microseconds(recipe, config) for config in configs}
    assert result.config is not None, "a search chooses one of its configurations"
    return Tuning(
        operator=operator,
        microseconds=times,
        best=_shown(result.config),
        from_cache=set(cached()) == before,
    )


def cached() -> list[Path]:
    """The searches that the cache holds, as files."""
    folder = read_config().cache_dir / "tlcourse"
    return sorted(path for path in folder.glob("*/*.json") if _is_search(path))


def _is_search(path: Path) -> bool:
    return '"schema":"tlcourse.Tuned/1"' in path.read_text(encoding="utf-8")


def _microseconds(recipe: KernelRecipe, config: Sizes) -> float:
    """Simulated time of one configuration."""
    kernel = compile(recipe.make(**config), out_idx=list(recipe.out_idx), mode=recipe.mode)
    inputs = [p for index, p in enumerate(kernel.params) if index not in kernel.out_idx]
    timeline = kernel.profile(*(_argument(one.kind, _shape(one)) for one in inputs))
    return timeline.cycles / timeline.clock_mhz


def arguments(parameters: Sequence[KernelParam]) -> list[object]:
    """Arguments of a launch: zeros will do, since no time depends on the numbers."""
    return [
        torch.zeros(one.shape, dtype=one.dtype).npu() if one.shape else 1.0 for one in parameters
    ]


def _shape(parameter: Parameter) -> tuple[int, ...]:
    return tuple(int(extent) for extent in parameter.extents)


def _argument(kind: str, shape: tuple[int, ...]) -> object:
    return shape if kind == "tensor" else 1.0


@contextmanager
def _mode(mode: Mode) -> Generator[None]:
    """The mode that kernels are compiled in inside, as upstream's variable says it."""
    before = os.environ.get("TILELANG_ASCEND_MODE")
    os.environ["TILELANG_ASCEND_MODE"] = mode
    try:
        yield
    finally:
        del os.environ["TILELANG_ASCEND_MODE"]
        if before is not None:
            os.environ["TILELANG_ASCEND_MODE"] = before


def _shown(config: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={config[name]}" for name in config if name.startswith("block"))


def main() -> None:
    """Tunes both operators twice and prints the times, the choice, and where it came from."""
    for operator in SIZES:
        for _ in range(2):
            tuning = tune(operator)
            where = "found in the cache" if tuning.from_cache else "searched now"
            print(f"{operator}: {tuning.best} ({where})")
        for config, time in tuning.microseconds.items():
            print(f"    {config:<26}{time:>9.1f} us")
    print(f"searches in the cache: {len(cached())}")


if __name__ == "__main__":
    main()
