"""The errors of operator packages: what is not loaded, and why."""

from __future__ import annotations

from pathlib import Path

from tlcourse.diagnostics import TLError, error

_AGAIN = "run `tlcourse precompile` on the package's folder and install it again"


def changed(path: Path, what: str) -> TLError:
    """A file is not the one that was built."""
    return error(
        "TL480",
        f"{path.parent.name}/{path.name} is not the file that was built: {what}",
        why="a package names the sha256 of each of its artefacts, and runs nothing else",
        fix=_AGAIN,
    )


def other_version(made_with: str, here: str) -> TLError:
    """The artefacts belong to another version of tlcourse."""
    return error(
        "TL481",
        f"the package was precompiled with tlcourse {made_with}, and this is {here}",
        why="compiled kernels call functions of tlcourse, which change from version to version",
        fix=f"install tlcourse {made_with}, or {_AGAIN}",
    )


def no_kernel_code(path: str, what: str) -> TLError:
    """A Program's text does what the code of a kernel never does."""
    return error(
        "TL482",
        f"the code in {path} is no kernel: {what}",
        why="the code that tlcourse makes counts, loops and calls functions on tiles; this would "
        "do more, so nothing of it was run",
        fix="get the package from where it was built, and do not trust this copy",
    )


def not_readable(path: Path, what: str) -> TLError:
    """JSON that is cut off or says something else than the schema."""
    return error(
        "TL483",
        f"{path.parent.name}/{path.name} cannot be read: {what}",
        why="artefacts are JSON with a fixed set of keys, each with its type",
        fix=_AGAIN,
    )


def nothing_fits(operator: str, given: str, variants: list[str]) -> TLError:
    """No precompiled variant takes the arguments of a call."""
    return error(
        "TL484",
        f"no variant of {operator} takes {given}",
        why=f"precompiled are: {'; '.join(variants)}" if variants else "none is precompiled",
        fix="add the variant to KERNELS in compile/kernels/__init__.py and precompile again, or "
        "convert the arguments",
    )


def no_package(folder: Path, what: str) -> TLError:
    """A folder is not an operator package."""
    return error(
        "TL485",
        f"{folder.name} is no operator package: {what}",
        why="`tlcourse precompile` reads the tuple KERNELS of compile/kernels/__init__.py",
        fix="start with `tlcourse new-op-package NAME`, and name each kernel in KERNELS",
    )


def no_name(name: str, what: str) -> TLError:
    """A package cannot have this name."""
    return error(
        "TL486",
        f"a package cannot be called {name!r}: {what}",
        why="the name becomes a folder, an import and the namespace of torch.ops",
        fix="use small letters, digits and _, for example `tlcourse new-op-package gated`",
    )


def stale(folder: str) -> TLError:
    """The kernel's text changed after it was compiled."""
    return error(
        "TL487",
        f"{folder} is older than its kernel",
        why="compile/kernels was changed after `tlcourse precompile` ran",
        fix="run `tlcourse precompile` on the package's folder again",
    )


def taken(name: str) -> TLError:
    """Two operators want one name."""
    return error(
        "TL488",
        f"there is an operator {name} already",
        why="torch.ops has one operator of a name in each namespace",
        fix="give the operator, or the package, another name",
    )
