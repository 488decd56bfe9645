"""Reads a package's folder: its name, its recipes, the texts of its kernels."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tlcourse.ops.artefact import digest
from tlcourse.ops.recipe import KernelRecipe
from tlcourse.ops.refusals import no_package

KERNELS = Path("compile") / "kernels"
ARTEFACTS = Path("src") / "artefacts"


@dataclass(frozen=True, kw_only=True)
class PackageSource:
    """An operator package as its author sees it."""

    folder: Path
    name: str
    recipes: tuple[KernelRecipe, ...]
    kernel_sha256: str


def read_package(folder: Path) -> PackageSource:
    """Runs compile/kernels/__init__.py and takes its KERNELS.

    Raises:
        TL485: the folder is no operator package.
    """
    kernels = folder / KERNELS
    if not (kernels / "__init__.py").is_file():
        raise no_package(folder, f"it has no {KERNELS / '__init__.py'}")
    name = _project_name(folder)
    return PackageSource(
        folder=folder,
        name=name,
        recipes=read_recipes(folder, name, kernels),
        kernel_sha256=_texts_sha256(kernels),
    )


def _project_name(folder: Path) -> str:
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["project"]["name"]).replace("-", "_")
    except (OSError, ValueError, KeyError) as problem:
        raise no_package(folder, f"pyproject.toml has no project.name ({problem})") from None


def read_recipes(folder: Path, name: str, kernels: Path) -> tuple[KernelRecipe, ...]:
    """Runs the `__init__.py` of a folder of kernels and takes its KERNELS.

    Raises:
        TL485: there is no such tuple.
    """
    module_name = f"_tlcourse_kernels_{name}"
    _forget(module_name)
    spec = importlib.util.spec_from_file_location(
        module_name, kernels / "__init__.py", submodule_search_locations=[str(kernels)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        _forget(module_name)
    found: object = getattr(module, "KERNELS", None)
    if not isinstance(found, (tuple, list)):
        raise no_package(folder, f"{KERNELS / '__init__.py'} has no tuple KERNELS")
    for one in cast("tuple[object, ...]", found):
        if not isinstance(one, KernelRecipe):
            raise no_package(folder, f"KERNELS holds {one!r}, which is no KernelRecipe")
    return tuple(cast("tuple[KernelRecipe, ...]", found))


def _forget(module_name: str) -> None:
    """Drops the modules of an earlier reading: the files may have changed since."""
    for name in [n for n in sys.modules if n == module_name or n.startswith(module_name + ".")]:
        del sys.modules[name]


def _texts_sha256(kernels: Path) -> str:
    """One hash over the texts of all kernels, by name."""
    files = sorted(path for path in kernels.rglob("*.py"))
    texts = [path.relative_to(kernels).as_posix().encode() + path.read_bytes() for path in files]
    return digest(b"\0".join(texts))
