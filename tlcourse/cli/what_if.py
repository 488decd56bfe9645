"""The command `whatif`: a kernel without one of its flags, or with a smaller buffer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.kernels import BackendName, ModeOption, Target, split_target
from tlcourse.cli.output import print_json, print_lines
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.diagnostics import SourceMap
    from tlcourse.jit import Kernel
    from tlcourse.jit.effect import Effect
    from tlcourse.pipeline.instructions import Line


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command("whatif")(what_if)


def what_if(
    target: Target,
    remove: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Take flag or barrier N away.")
    ] = None,
    swap: Annotated[
        str, typer.Option(metavar="N,M", help="Let two instructions change places.")
    ] = "",
    shrink: Annotated[
        list[str] | None, typer.Option(metavar="BUFFER=BYTES", help="Plan a buffer smaller.")
    ] = None,
    mode: ModeOption = None,
    backend: Annotated[BackendName, typer.Option(help="What compiles it.")] = BackendName.EMBEDDED,
    seed: Annotated[int, typer.Option(help="Another legal order of the instructions.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
) -> None:
    """List what a kernel's cores execute, or run it with one flag less.

    Without a change: all instructions, numbered, with the line each comes from. With one:
    what the simulator finds, and how many numbers differ from the kernel as it is.
    """
    pair, sizes = _pair(swap), _sizes(shrink or [])
    path, name = split_target(target)
    prefer_simulated()
    if mode is not None:
        os.environ["TILELANG_ASCEND_MODE"] = mode.value
    os.environ["TLCOURSE_COMPILER"] = backend.value
    # What the file prints would break the data.
    with redirect_stdout(sys.stderr) if json else nullcontext():
        from tlcourse.jit.inspect import load_kernel

        kernel = load_kernel(path, name)
        if not remove and pair is None and not sizes:
            shown: object = kernel.instructions()
            lines = listing_lines(kernel.instructions(), kernel.sources)
        else:
            found = _effect(kernel, remove or [], pair, sizes, seed)
            shown, lines = found, effect_lines(found, kernel.sources)
    if json:
        print_json(shown)
    else:
        print_lines(lines)


def listing_lines(found: Sequence[Line], sources: SourceMap) -> list[str]:
    """A line for each instruction: number, core, what it is, and the learner's line."""
    lines: list[str] = []
    width = max((len(line.text) for line in found), default=0)
    for line in found:
        span = line.span
        source = sources.get(span.source) if span else None
        text = source.text.splitlines()[span.line - 1].strip() if source and span else ""
        place = f"{span.line:>4}: {text}" if span else ""
        mark = "*" if line.is_sync else " "
        lines.append(f"{line.number:>4} {mark} {line.agent}  {line.text:<{width}} {place}".rstrip())
    return [*lines, "* flags and barriers: --remove takes one away"]


def effect_lines(found: Effect, sources: SourceMap) -> list[str]:
    """What the changed kernel did, finding by finding, then numbers and cycles."""
    from tlcourse.diagnostics import render_text

    texts = [render_text(one.diagnostic, sources) for one in found.findings]
    return [
        f"findings: {len(texts) or 'none'}",
        *texts,
        f"numbers: {found.differing:,} of {found.elements:,} differ",
        f"cycles: {found.cycles:,}, changed {found.changed_cycles:,}",
    ]


def _effect(
    kernel: Kernel,
    remove: Sequence[int],
    swap: tuple[int, int] | None,
    shrink: dict[str, int],
    seed: int,
) -> Effect:
    from tlcourse.jit.effect import effect

    return effect(kernel, kernel.what_if(remove=remove, swap=swap, shrink=shrink), seed=seed)


def _pair(text: str) -> tuple[int, int] | None:
    words = text.split(",")
    if not text:
        return None
    if len(words) != 2 or not all(word.strip().isdecimal() for word in words):
        raise typer.BadParameter(f"{text} is not two numbers, as 3,5", param_hint="--swap")
    return int(words[0]), int(words[1])


def _sizes(words: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        name, _, size = word.partition("=")
        if not name or not size.isdecimal():
            raise typer.BadParameter(f"{word} is not BUFFER=BYTES", param_hint="--shrink")
        found[name] = int(size)
    return found
