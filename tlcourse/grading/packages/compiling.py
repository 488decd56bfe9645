"""Compiles a package in the sandbox: its kernels as sealed texts, and the artefacts to install.

The kernels' Python is the learner's, so this runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import tlcourse
from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.signature import parameters, stamp
from tlcourse.dialects.text import to_text
from tlcourse.grading.packages.asked import PackageOrder, TensorKind, Wanted
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.tracing import Attempt, Order, raised, refused
from tlcourse.language import PrimFunc
from tlcourse.ops.precompile import check_fresh, precompile
from tlcourse.ops.recipe import KernelRecipe, variant_name
from tlcourse.ops.sources import read_package
from tlcourse.records import Parameter


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """What compiling a package gave.

    Args:
        attempts: one for each kernel case.
        stale: why the learner's own artefacts are not those of the kernels.
        problem: why there are no artefacts now.
    """

    attempts: tuple[Attempt, ...]
    stale: str = ""
    problem: str = ""


def compiled(order: Order, folder: Path) -> Compiled:
    """Looks at the learner's artefacts, seals the kernels and makes the artefacts again."""
    asked = order.package
    assert asked is not None, "a package is asked for"
    count = len(asked.wanted)
    stale = _told(lambda: check_fresh(folder))
    try:
        made = _kernels(asked, folder)
        attempts = tuple(_attempt(order, asked, made, index) for index in range(count))
    except TLError as problem:
        attempts = (refused(problem),) * count
    except Exception as problem:  # noqa: BLE001 - whatever a learner's code raises is reported
        attempts = (raised(problem, ""),) * count
    problem = _told(lambda: list(precompile(folder, native=False)))
    return Compiled(attempts=attempts, stale=stale, problem=problem)


def _told(work: Callable[[], object]) -> str:
    """What stopped some work, in words."""
    try:
        work()
    except TLError as problem:
        return f"{problem.code}: {problem.diagnostic.what}"
    except Exception as problem:  # noqa: BLE001 - whatever a learner's code raises is reported
        return f"{type(problem).__name__}: {problem}"
    return ""


@dataclass(frozen=True, kw_only=True)
class _Variant:
    name: str
    recipe: KernelRecipe
    made: PrimFunc


def _kernels(asked: PackageOrder, folder: Path) -> list[_Variant]:
    """The traced variants of the operator's kernel."""
    recipes = [one for one in read_package(folder).recipes if one.operator == asked.operator]
    return [
        _Variant(
            name=variant_name(constants),
            recipe=recipe,
            made=cast("PrimFunc", recipe.make(**constants)),
        )
        for recipe in recipes
        for constants in recipe.variants
    ]


def _attempt(order: Order, asked: PackageOrder, made: Sequence[_Variant], index: int) -> Attempt:
    wanted = asked.wanted[index]
    found = next((one for one in made if _fits(one.made, wanted)), None)
    if found is None:
        return refused(_nothing_fits(asked, wanted, [one.name for one in made]))
    module = found.made.module.clone()
    stamp(module, mode=found.recipe.mode, target="npuir", out_idx=(), pass_configs={})
    sealed = Sealed(
        exercise=order.exercise,
        spec_version=order.spec_version,
        tlcourse_version=tlcourse.__version__,
        binding=dict(order.bindings[index + 1]),
        sources=dict(found.made.sources),
        text=to_text(module, locations=True),
    )
    return Attempt(state="sealed", document=sealed.to_text())


def _fits(made: PrimFunc, wanted: Wanted) -> bool:
    """Whether a variant takes tensors of these dtypes and sizes."""
    kinds = (*wanted.inputs, *wanted.outputs)
    have = parameters(made.module, made.sources)[: len(kinds)]
    return len(have) == len(kinds) and all(map(_fits_one, have, kinds))


def _fits_one(have: Parameter, kind: TensorKind) -> bool:
    if have.dtype != kind.dtype or len(have.extents) != len(kind.shape):
        return False
    sizes = zip(have.extents, kind.shape, strict=True)
    return all(not extent.isdecimal() or int(extent) == size for extent, size in sizes)


def _nothing_fits(asked: PackageOrder, wanted: Wanted, names: Sequence[str]) -> TLError:
    tensors = ", ".join(f"{kind.dtype} {list(kind.shape)}" for kind in wanted.inputs)
    return error(
        "TL484",
        f"no variant of {asked.operator} takes {tensors}",
        why=f"compiled are: {', '.join(names) or 'none'}",
        fix="name each dtype and size that is asked for in compile/kernels/__init__.py",
    )
