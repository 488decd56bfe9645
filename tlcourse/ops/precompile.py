"""`tlcourse precompile`: every kernel of a package, in every variant, to files that load alone."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tlcourse import __version__
from tlcourse.config import read_config
from tlcourse.functional.compiled import build, machine_tag, whole_text
from tlcourse.ops.artefact import (
    INDEX,
    LIBRARY,
    METADATA,
    PROGRAM,
    TEXT,
    WRAPPER,
    Artefact,
    FileStamp,
    Index,
    digest,
    stamp,
)
from tlcourse.ops.recipe import KernelRecipe, variant_name
from tlcourse.ops.refusals import stale
from tlcourse.ops.sources import ARTEFACTS, PackageSource, read_package
from tlcourse.ops.wrapper import host_wrapper
from tlcourse.records import Json, Program, from_data, to_data, to_json

if TYPE_CHECKING:
    from tlcourse.language import PrimFunc

_INIT = '''"""Made by `tlcourse precompile`: compiled kernels, pinned by the hash of their index."""

from __future__ import annotations

from pathlib import Path

from tlcourse.ops import load

SHA256 = "{sha256}"
KERNELS = load(Path(__file__).parent, sha256=SHA256)
'''


@dataclass(frozen=True, kw_only=True)
class Built:
    """One variant that was compiled: its folder, its bytes, and the time that compiling took."""

    operator: str
    variant: str
    size_bytes: int
    seconds: float


def precompile(folder: Path, *, native: bool = True) -> Iterator[Built]:
    """Compiles all variants of a package into `src/artefacts`, one after another.

    Args:
        folder: the package's folder.
        native: whether C is built into a library for this kind of machine, too; where the
            settings ask for the engine `torch`, it is not.

    Raises:
        TL485: it is no operator package.
        TL1xx to TL4xx: a kernel does not compile.
    """
    package = read_package(folder)
    root = folder / ARTEFACTS
    fresh = root.with_name(".artefacts-new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    folders: dict[str, FileStamp] = {}
    for recipe in package.recipes:
        for constants in recipe.variants:
            built, name, metadata = _build(package, recipe, dict(constants), fresh, native)
            folders[name] = metadata
            yield built
    _write_index(package, fresh, folders)
    shutil.rmtree(root, ignore_errors=True)
    fresh.rename(root)


def check_fresh(folder: Path) -> None:
    """Compares the artefacts' note of their kernels' texts with the texts.

    Raises:
        TL485: the folder is no operator package.
        TL487: the artefacts are older, or there are none.
    """
    import json

    package = read_package(folder)
    notes = sorted((folder / ARTEFACTS).glob(f"*/*/{METADATA}"))
    wanted = sum(len(recipe.variants) for recipe in package.recipes)
    found = [json.loads(path.read_text(encoding="utf-8")).get("kernel_sha256") for path in notes]
    if found != [package.kernel_sha256] * wanted:
        raise stale(str(ARTEFACTS))


def _build(
    package: PackageSource,
    recipe: KernelRecipe,
    constants: dict[str, object],
    root: Path,
    native: bool,
) -> tuple[Built, str, FileStamp]:
    start = time.perf_counter()
    program, text = _compiled(recipe, constants)
    seconds = time.perf_counter() - start
    variant = variant_name(constants)
    folder = root / recipe.operator / variant
    folder.mkdir(parents=True)
    contents = {
        PROGRAM: to_json(program).encode(),
        WRAPPER: host_wrapper(program.signature).encode(),
        **(_native(text) if text and native and read_config().engine != "torch" else {}),
    }
    artefact = Artefact(
        operator=recipe.operator,
        variant=variant,
        constants={name: str(value) for name, value in constants.items()},
        signature=program.signature,
        written=tuple(program.options["written"]),
        unused=tuple(program.options["unused"]),
        kernel_sha256=package.kernel_sha256,
        machine=machine_tag() if LIBRARY in contents else "",
        files={name: stamp(data) for name, data in contents.items()},
    )
    metadata = to_json(artefact).encode()
    for name, data in {**contents, METADATA: metadata}.items():
        (folder / name).write_bytes(data)
    size = len(metadata) + sum(map(len, contents.values()))
    built = Built(
        operator=recipe.operator, variant=variant, size_bytes=size, seconds=round(seconds, 3)
    )
    return built, f"{recipe.operator}/{variant}", stamp(metadata)


def _native(text: str) -> dict[str, bytes]:
    """C text and the library that the system's compiler makes of it; nothing without one."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / LIBRARY
        if not build(text, library):
            return {}
        return {TEXT: whole_text(text).encode(), LIBRARY: library.read_bytes()}


def _compiled(recipe: KernelRecipe, constants: dict[str, object]) -> tuple[Program, str | None]:
    """The Program of one variant, with no path of this machine in it, and its C text."""
    from tlcourse.jit.decorator import compile
    from tlcourse.jit.kernel import Kernel

    func = cast("PrimFunc", recipe.make(**constants))
    kernel = compile(func, out_idx=list(recipe.out_idx), mode=recipe.mode)
    uncached = replace(kernel.settings, cache_folder=None)
    made = Kernel(kernel.module, kernel.sources, uncached, func).program("functional")
    options = {name: value for name, value in made.options.items() if name != "native"}
    data = cast("dict[str, Json]", to_data(replace(made, sources={}, options=options)))
    return from_data(Program, _without_folders(data)), made.options["native"]


def _without_folders(data: Json) -> Json:
    """Spans name the file under compile/kernels, wherever the package lay."""
    if isinstance(data, list):
        return [_without_folders(one) for one in data]
    if not isinstance(data, dict):
        return data
    named = {name: _without_folders(value) for name, value in data.items()}
    source = named.get("source")
    if isinstance(source, str) and "end_column" in named:
        named["source"] = f"kernels/{Path(source).name}"
    return named


def _write_index(package: PackageSource, root: Path, folders: dict[str, FileStamp]) -> None:
    from importlib import metadata

    index = Index(
        package=package.name,
        tlcourse=__version__,
        torch=metadata.version("torch").partition("+")[0],
        folders=folders,
    )
    text = to_json(index).encode()
    (root / INDEX).write_bytes(text)
    (root / "__init__.py").write_text(_INIT.format(sha256=digest(text)), encoding="utf-8")
