"""The command `profile`: how long a chip takes for a kernel, as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.kernels import BackendName, ModeName, split_target
from tlcourse.cli.output import print_json, print_lines
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.profile import Profile, ProfileSummary


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command("profile")(profile)


def profile(
    target: Annotated[str, typer.Argument(metavar="FILE[:KERNEL]", help="A Python file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder.")],
    chip: Annotated[
        str | None, typer.Option(help="Name of the chip, default the kernel's.")
    ] = None,
    backend: Annotated[BackendName, typer.Option(help="What compiles it.")] = BackendName.EMBEDDED,
    mode: Annotated[
        ModeName | None,
        typer.Option(help="How it is written, default TILELANG_ASCEND_MODE.", show_default=False),
    ] = None,
    argument: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="SHAPE", help="An argument: 64x1024, or a number."),
    ] = None,
    block: Annotated[
        int | None, typer.Option(help="Show the core group that runs it, default the last one.")
    ] = None,
    cold: Annotated[bool, typer.Option("--cold", help="L2 is empty at the start.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as data.")] = False,
) -> None:
    """Time a kernel on the simulated chip and write timeline, traces and tables.

    DIR gets a folder as msprof op simulator writes it, with a trace.json for Perfetto, tables,
    a roofline and timeline.html. All times are simulated; no number is computed.
    """
    path, name = split_target(target)
    arguments = [_argument(word) for word in argument or []]
    prefer_simulated()
    if mode is not None:
        os.environ["TILELANG_ASCEND_MODE"] = mode.value
    os.environ["TLCOURSE_COMPILER"] = backend.value
    from tlcourse.profile import refuse_full, summary, write_profile

    refuse_full(out)

    # What the file prints would break the data.
    with redirect_stdout(sys.stderr) if json else nullcontext():
        found = _profiled(path, name, arguments, chip, block, cold=cold)
    _tell(f"writing {out}")
    short = summary(found, write_profile(found, out))
    if json:
        print_json(short)
    else:
        print_lines(summary_lines(short))


def summary_lines(short: ProfileSummary) -> list[str]:
    """Time, verdict, busy pipes, longest gaps and where the files are."""
    busy = ", ".join(f"{lane} {percent}%" for lane, percent in short.busy_percent.items())
    gaps = [
        f"  {gap['core']} {gap['pipe']}: {gap['cycles']:,} cycles from {gap['start_cycle']:,}, "
        f"waits for {gap['waits for']}"
        for gap in short.bubbles[:5]
    ]
    return [
        f"{short.kernel} on {short.chip}: {short.microseconds:.2f} us simulated "
        f"({short.cycles:,} cycles)",
        short.verdict,
        f"busy: {busy}",
        *(["longest gaps:", *gaps] if gaps else []),
        f"wrote {len(short.files)} files to {short.folder}",
        "open simulator/trace.json in Perfetto, timeline.html in a browser",
    ]


def _profiled(
    path: Path,
    name: str | None,
    arguments: Sequence[object],
    chip: str | None,
    block: int | None,
    *,
    cold: bool,
) -> Profile:
    from tlcourse.jit.inspect import load_kernel
    from tlcourse.jit.profiled import profile_of

    _tell(f"reading {path}")
    kernel = load_kernel(path, name)
    _tell(f"compiling and recording {kernel.kernel_name}")
    return profile_of(kernel, arguments, chip=chip, block=block, cold=cold)


def _argument(word: str) -> object:
    """A shape such as 64x1024, or a number."""
    try:
        if "x" in word:
            return tuple(int(part) for part in word.split("x") if part)
        return float(word) if "." in word else int(word)
    except ValueError:
        raise typer.BadParameter(
            f"{word} is neither a shape, as 64x1024, nor a number; 4096x is a vector",
            param_hint="--arg",
        ) from None


def _tell(words: str) -> None:
    """Says on stderr what goes on."""
    typer.echo(f"{words} ...", err=True)
