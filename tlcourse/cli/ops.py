"""The commands `new-op-package` and `precompile`: from a kernel to an installable operator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.ops.precompile import Built


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command("new-op-package")(new_op_package)
    app.command()(precompile)


def new_op_package(
    name: Annotated[str, typer.Argument(help="Import name of the package.")],
    where: Annotated[
        Path, typer.Option(exists=True, file_okay=False, help="Folder that gets the package.")
    ] = Path(),
) -> None:
    """Start an operator package that can be installed, tested and changed step by step."""
    from tlcourse.ops.new_package import new_package

    prefer_simulated()
    folder = new_package(name, where)
    _compile_all(folder, quiet=False)
    typer.echo(f"{folder}: pip install {folder.absolute()} && pytest {folder}")
    typer.echo(f"{folder / 'README.md'} has the seven steps to an operator of your own")


def precompile(
    package: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Folder of the package.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Only tell whether the artefacts are up to date.")
    ] = False,
    native: Annotated[
        bool, typer.Option(help="Build C for this kind of machine, where there is a compiler.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
) -> None:
    """Compile every kernel of a package, in every variant, into src/artefacts."""
    from tlcourse.ops.precompile import check_fresh

    prefer_simulated()
    if check:
        check_fresh(package)
        return
    built = _compile_all(package, quiet=json, native=native)
    if json:
        print_json(built)
    finish(0)


def _compile_all(folder: Path, *, quiet: bool, native: bool = True) -> list[Built]:
    from tlcourse.ops.precompile import precompile as each

    built: list[Built] = []
    for one in each(folder, native=native):
        built.append(one)
        if not quiet:
            name = f"{one.operator}/{one.variant}"
            typer.echo(f"{name:<44} {one.seconds:6.2f} s  {one.size_bytes:>9,} bytes")
    return built
