"""What is given to somebody who makes a package, and what is asked of it, from the spec."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from tlcourse import extents
from tlcourse.grading.packages.asked import PackageOrder, TensorKind, Wanted
from tlcourse.grading.packages.packing import MODEL, lay_out
from tlcourse.grading.spec import Case, Spec, load

_MODEL_HOME = "tlcourse.examples.deepseek_v4_mini.inference"


def package_folder(exercise: str, where: str | Path) -> Path:
    """Writes the folder that an exercise begins with, to work on it.

    Args:
        exercise: its id.
        where: the folder that gets it.

    Raises:
        TL486: the folder is there already.
        TL601: there is no such exercise.
    """
    order = package_order(load(exercise), ())
    assert order is not None, "the exercise asks for a package"
    return lay_out(order, Path(where))


def model_text() -> str:
    """The entry of the small model, as it is given."""
    return resources.files(_MODEL_HOME).joinpath(MODEL).read_text(encoding="utf-8")


def package_order(spec: Spec, cases: Sequence[Case]) -> PackageOrder | None:
    """What is asked of a package in some cases; None for other kinds of exercise."""
    if spec.kind != "package":
        return None
    asked = spec.package
    files = {**asked.files, **({MODEL: model_text()} if asked.model else {})}
    return PackageOrder(
        name=asked.name,
        operator=asked.operator,
        files=files,
        wanted=tuple(_wanted(spec.at(case), case) for case in cases[1:]),
        is_called="operator" in asked.rules,
        has_model=asked.model,
        has_tests="tests" in asked.rules,
    )


def _wanted(spec: Spec, case: Case) -> Wanted:
    def kinds(roles: tuple[str, ...]) -> tuple[TensorKind, ...]:
        return tuple(
            TensorKind(
                dtype=one.dtype,
                shape=tuple(extents.evaluate(extent, case.binding) for extent in one.shape),
            )
            for one in spec.parameters
            if one.role in roles
        )

    return Wanted(inputs=kinds(("in", "inout")), outputs=kinds(("out",)), public=case.public)
