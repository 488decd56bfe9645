"""The same package on an NPU: kernels are compiled by the real tilelang and launched by torch_npu.

The package carries the texts of its kernels. Which variant fits is decided as on the simulator;
tilelang keeps what it compiles in its own cache.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import cast

import torch

from tlcourse import finder
from tlcourse.ops.recipe import KernelRecipe, variant_name
from tlcourse.ops.refusals import no_package
from tlcourse.ops.sources import read_recipes

_PLACES = (Path("kernels"), Path("..") / "compile" / "kernels")


def is_served() -> bool:
    """Whether the real tilelang and torch_npu serve in this process."""
    return finder.decision().served == "npu"


def launch(
    artefacts: Path, operator: str, variant: str, arguments: Sequence[object]
) -> tuple[torch.Tensor, ...]:
    """Runs a variant's kernel on the NPU.

    Args:
        artefacts: folder of the package's artefacts; the kernels' texts lie beside it.
        operator: name in the recipe.
        variant: name of the variant.
        arguments: tensors on the NPU, and numbers.

    Raises:
        TL485: the package has no such kernel.
    """
    result = _kernel(artefacts, operator, variant)(*arguments)
    if isinstance(result, torch.Tensor):
        return (result,)
    return tuple(cast("Sequence[torch.Tensor]", result or ()))


@lru_cache(maxsize=256)
def _kernel(artefacts: Path, operator: str, variant: str) -> Callable[..., object]:
    """The kernel, compiled once in this process."""
    for recipe in _recipes(artefacts):
        for constants in recipe.variants:
            if (recipe.operator, variant_name(constants)) == (operator, variant):
                return _compiled(recipe, dict(constants))
    raise no_package(artefacts.parent, f"its kernels have no {operator} in variant {variant}")


def _compiled(recipe: KernelRecipe, constants: dict[str, object]) -> Callable[..., object]:
    tilelang = importlib.import_module("tilelang")
    with _mode(recipe.mode):
        made = recipe.make(**constants)
        kernel = tilelang.compile(made, out_idx=list(recipe.out_idx), target="npuir")
    return cast("Callable[..., object]", kernel)


@lru_cache(maxsize=32)
def _recipes(artefacts: Path) -> tuple[KernelRecipe, ...]:
    for place in _PLACES:
        kernels = artefacts.parent / place
        if (kernels / "__init__.py").is_file():
            return read_recipes(artefacts.parent, artefacts.parent.name, kernels)
    raise no_package(artefacts.parent, "it was installed without its kernels' texts")


@contextmanager
def _mode(mode: str) -> Generator[None]:
    """Upstream reads the mode of a kernel from the environment."""
    before = os.environ.get("TILELANG_ASCEND_MODE")
    os.environ["TILELANG_ASCEND_MODE"] = mode
    try:
        yield
    finally:
        del os.environ["TILELANG_ASCEND_MODE"]
        if before is not None:
            os.environ["TILELANG_ASCEND_MODE"] = before
