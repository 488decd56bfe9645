"""The command `opt`: our passes on a file of MLIR, in the manner of `bishengir-opt`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import print_lines

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from tlcourse.pipeline.dumping import Dumps

File = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="MLIR; left out, or -: standard input.")
]
Pipeline = Annotated[
    str,
    typer.Option(
        "-p",
        "--passes",
        "--pass-pipeline",
        metavar="PIPELINE",
        help="a,b{option=value} or builtin.module(func.func(a),b).",
    ),
]
Out = Annotated[
    Path | None, typer.Option("-o", dir_okay=False, help="Write here, not to the screen.")
]
AfterAll = Annotated[
    bool, typer.Option("--print-ir-after-all", help="The module after each pass, on stderr.")
]
AfterChange = Annotated[
    bool, typer.Option("--print-ir-after-change", help="Only where the pass changed it.")
]
TreeDir = Annotated[
    Path | None,
    typer.Option("--print-ir-tree-dir", file_okay=False, help="One numbered file per pass."),
]
Timing = Annotated[bool, typer.Option("--timing", help="Time of each pass, on stderr.")]
Split = Annotated[
    bool, typer.Option("--split-input-file", help="Modules between lines `// -----`.")
]
Verify = Annotated[
    bool,
    typer.Option("--verify-diagnostics", help="Demand the errors of `// expected-error`."),
]
Generic = Annotated[bool, typer.Option("--generic", help="Write the generic form.")]
Locations = Annotated[bool, typer.Option("--locations", help="Write loc(..).")]
UpstreamNames = Annotated[
    bool, typer.Option("--upstream-names", help="Name values as bishengir-opt does: %arg0, %0.")
]
ShowList = Annotated[bool, typer.Option("--list", help="List passes and options.")]


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command()(opt)


def opt(
    file: File = None,
    passes: Pipeline = "",
    out: Out = None,
    after_all: AfterAll = False,
    after_change: AfterChange = False,
    tree_dir: TreeDir = None,
    timing: Timing = False,
    split: Split = False,
    verify: Verify = False,
    generic: Generic = False,
    locations: Locations = False,
    plain: UpstreamNames = False,
    show_list: ShowList = False,
) -> None:
    """Run passes on a file of MLIR and print the result, as bishengir-opt does."""
    if show_list:
        from tlcourse.pipeline.listing import list_lines

        print_lines(list_lines())
        return
    from tlcourse.pipeline.dumping import Dumps
    from tlcourse.pipeline.opt import Form
    from tlcourse.pipeline.registry import read_passes

    if out is not None and not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="-o")
    name, text = _input(file)
    form = Form(generic=generic, locations=locations, own_names=not plain)
    chosen = read_passes(passes)
    dumps = Dumps(
        form=form, after_all=after_all, after_change=after_change, folder=tree_dir, timing=timing
    )
    try:
        result = _run(name, text, chosen, dumps, split=split, verify=verify)
    finally:
        if timing:
            print("\n".join(dumps.timing_lines()), file=sys.stderr)
    if out is not None:
        out.write_text(result, encoding="utf-8")
    elif result:
        typer.echo(result, nl=False)


def _input(file: Path | None) -> tuple[str, str]:
    if file is None and _at_terminal():
        raise typer.BadParameter("give a file of MLIR, or - to type it in", param_hint="FILE")
    if file is None or str(file) == "-":
        return "<stdin>", sys.stdin.read()
    if not file.is_file():
        raise typer.BadParameter(f"{file} is not a file", param_hint="FILE")
    try:
        return str(file), file.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise typer.BadParameter(f"{file} is no text in UTF-8", param_hint="FILE") from problem


def _at_terminal() -> bool:
    """Whether nobody pipes a module in: waiting for one would look like a command that hangs."""
    return sys.stdin.isatty()


def _run(
    name: str, text: str, passes: tuple[ModulePass, ...], dumps: Dumps, *, split: bool, verify: bool
) -> str:
    from tlcourse.pipeline.expected import verify_diagnostics
    from tlcourse.pipeline.opt import run_opt

    if verify:
        verify_diagnostics(text, passes, name=name, split=split, listener=dumps.after)
        return ""
    return run_opt(text, passes, name=name, form=dumps.form, split=split, listener=dumps.after)
