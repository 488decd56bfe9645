"""Commands that look into kernels: `demo`, `ir`, `run`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from tlcourse.cli.output import finish, print_json, print_lines
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.diagnostics import TLError
    from tlcourse.records import PassTrace, Snapshot

# How errors of the compiler name the other mode: for Python, or not at all.
_OTHER_MODE = re.compile(r'compile in (Expert|Developer) mode(: mode="\w+")?')
_PASS_CONFIG = re.compile(r'write pass_configs=\{"([\w.]+)": (\w+)\}')


class ModeName(StrEnum):
    """The two ways to write a kernel."""

    DEVELOPER = "developer"
    EXPERT = "expert"


class BackendName(StrEnum):
    """The two back halves that compile a kernel."""

    EMBEDDED = "embedded"
    BISHENGIR = "bishengir"


class ExecutionName(StrEnum):
    """The three ways to run a kernel."""

    SIMULATOR = "simulator"
    FUNCTIONAL = "functional"
    NPU = "npu"


LocationsOption = Annotated[
    bool, typer.Option("--locations", help="Keep loc(..), the place of each op.")
]
LintOption = Annotated[
    bool, typer.Option("--lint", help="Instead: what it relies on that upstream does not do.")
]
CompareOption = Annotated[
    bool, typer.Option("--compare", help="Instead: our passes beside the real compiler's.")
]
SwitchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="A switch by upstream's name; several: once each."
    ),
]
SwapOption = Annotated[
    str,
    typer.Option(
        "--swap", metavar="PASSES", help="Passes, with commas, to take from the other back half."
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:KERNEL]", help="A Python file; with several kernels, the name of one too."
    ),
]
ModeOption = Annotated[
    ModeName | None,
    typer.Option(
        help="How it is written, default TILELANG_ASCEND_MODE, else expert.", show_default=False
    ),
]
PassOption = Annotated[
    str | None, typer.Option("--pass", metavar="PASS", help="Only the IR after this pass.")
]


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(demo)
    app.command()(ir)
    extra = {"allow_interspersed_args": False, "ignore_unknown_options": True}
    app.command(context_settings=extra)(run)


def demo(
    mode: Annotated[ModeName, typer.Option(help="How the kernel is written.")] = ModeName.DEVELOPER,
    backend: Annotated[BackendName, typer.Option(help="What compiles it.")] = BackendName.EMBEDDED,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
) -> None:
    """Compile and run MiniCV: passes, numbers against torch, simulated time."""
    from tlcourse.cli.demo_text import demo_lines
    from tlcourse.examples.demo import run_demo

    prefer_simulated()
    report = run_demo("Expert" if mode is ModeName.EXPERT else "Developer", backend.value)
    if json:
        print_json(report)
    else:
        print_lines(demo_lines(report))
    finish(0 if report.agrees else 1)


def ir(
    target: Target,
    pass_name: PassOption = None,
    mode: ModeOption = None,
    backend: Annotated[BackendName, typer.Option(help="What compiles it.")] = BackendName.EMBEDDED,
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the explorer to this file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the trace as data.")] = False,
    locations: LocationsOption = False,
    lint: LintOption = False,
    compare: CompareOption = False,
    option: SwitchOption = None,
    swap: SwapOption = "",
) -> None:
    """Show the IR of a kernel after every pass that changed it.

    With --lint: each difference from upstream that the kernel relies on; exit code 1 if it does.
    With --compare: what each pass does in both back halves; exit code 1 if one of them fails.
    Switches such as enable-auto-multi-buffer=false, and the passes for --swap, are listed in
    docs/passes.md.
    """
    path, kernel = split_target(target)
    shows_ir = bool(html or locations or swap or backend is not BackendName.EMBEDDED)
    if compare:
        _refuse(shows_ir or lint, "--compare", "--pass, --option, --mode and --json")
    elif lint:
        _refuse(bool(shows_ir or pass_name or option), "--lint", "--mode and --json")
    if html is not None and not html.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {html.parent}", param_hint="--html")
    prefer_simulated()
    if mode is not None:
        os.environ["TILELANG_ASCEND_MODE"] = mode.value
    # What the file prints would break the data.
    aside = redirect_stdout(sys.stderr) if json else nullcontext()
    if lint:
        _show_differences(path, kernel, aside, json=json)
    configs = _configs(option or [], swap)
    if compare:
        _show_comparison(path, kernel, pass_name, aside, configs, json=json)
    with aside:
        trace = _traced(path, kernel, backend, configs)
    if html is not None:
        _write_html(trace, html)
    elif json:
        print_json(trace)
    else:
        print_lines(_trace_lines(trace, pass_name, locations=locations))


def _refuse(others: bool, option: str, companions: str) -> None:
    """Misuse where an option stands with others than its companions."""
    if others:
        raise typer.BadParameter(f"goes with {companions} only", param_hint=option)


def run(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="A Python script."),
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="What the script gets.")
    ] = None,
    execution: Annotated[
        ExecutionName | None, typer.Option(help="How kernels run, default simulator.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Raise every finding, not only what stops a kernel.")
    ] = False,
) -> None:
    """Run a script that imports tilelang and torch_npu, with its arguments, on the simulator."""
    from tlcourse.jit.script import run_script

    _refuse_own_options(file, arguments or [])
    if execution is ExecutionName.NPU:
        os.environ["TLCOURSE_BACKEND"] = "npu"
    else:
        prefer_simulated()
        if execution is not None:
            os.environ["TLCOURSE_EXECUTION"] = execution.value
    if strict:
        os.environ["TLCOURSE_STRICT"] = "1"
    finish(run_script(file, _without_separator(arguments or [])))


def _without_separator(arguments: Sequence[str]) -> list[str]:
    """What the script gets of `FILE -- ARGS`: this `--` stands for tlcourse, later ones do not."""
    return list(arguments[1:] if arguments[:1] == ["--"] else arguments)


def _refuse_own_options(file: Path, arguments: Sequence[str]) -> None:
    """Misuse where `--execution` stands behind FILE: the script would get it, unnoticed."""
    for word in arguments:
        if word == "--":
            return
        if word == "--execution" or word.startswith("--execution="):
            raise typer.BadParameter(
                "options of tlcourse stand before FILE, what follows FILE goes to the script; "
                f"write: tlcourse run --execution functional {file}",
                param_hint="--execution",
            )


def split_target(target: str) -> tuple[Path, str | None]:
    """`FILE[:KERNEL]` as a path and a name; a colon inside an existing path is not a separator."""
    path, colon, name = target.rpartition(":")
    if Path(target).is_file():
        path, colon, name = target, "", ""
    elif not colon:
        path, name = target, ""
    if not Path(path).is_file():
        raise typer.BadParameter(f"{path} is not a file", param_hint="FILE")
    return Path(path), name or None


def _configs(words: Sequence[str], swap: str) -> dict[str, str]:
    """`pass_configs` of the options --option and --swap."""
    if not words and not swap:
        return {}
    from tlcourse.pipeline.options import SWAP, configs_of

    found = configs_of(words)
    _refuse_unknown(found)
    return {**found, **({SWAP: swap} if swap else {})}


def _refuse_unknown(configs: Mapping[str, str]) -> None:
    """Misuse where a switch is misspelt: a warning would be lost above the text of all passes."""
    from tlcourse.jit.pass_config import PassConfigKey
    from tlcourse.pipeline.options import SWITCHES

    names = [switch.upstream for switch in SWITCHES if switch.upstream]
    known = [*names, *(switch.config for switch in SWITCHES), *(key.value for key in PassConfigKey)]
    for name in configs:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            way = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
            raise typer.BadParameter(f"no switch {name}; {way}", param_hint="--option")


def _traced(
    path: Path, kernel: str | None, backend: BackendName, configs: dict[str, str]
) -> PassTrace:
    from tlcourse.jit.inspect import load_kernel

    with _options_named():
        return load_kernel(path, kernel, pass_configs=configs).trace(backend.value)


def _show_differences(
    path: Path, kernel: str | None, aside: AbstractContextManager[object], *, json: bool
) -> NoReturn:
    """Prints what a kernel relies on, and ends the command."""
    from tlcourse.cli.lint_text import lint_lines, linted

    with aside, _options_named():
        report = linted(path, kernel)
    if json:
        print_json(report)
    else:
        print_lines(lint_lines(report))
    raise typer.Exit(1 if report.differences else 0)


def _show_comparison(
    path: Path,
    kernel: str | None,
    pass_name: str | None,
    aside: AbstractContextManager[object],
    configs: dict[str, str],
    *,
    json: bool,
) -> NoReturn:
    """Prints both back halves side by side, and ends the command."""
    from tlcourse.cli.compare_text import compared, comparison_lines

    with aside, _options_named():
        found = compared(path, kernel, pass_name, configs)
    if pass_name is not None and not found.rows:
        raise typer.BadParameter(
            f"no pass {pass_name} that does something here; without --pass all are shown",
            param_hint="--pass",
        )
    if json:
        print_json(found)
    else:
        print_lines(comparison_lines(found, whole=pass_name is not None))
    raise typer.Exit(0)


@contextmanager
def _options_named() -> Generator[None]:
    """Errors inside say what to do by options of the command."""
    from tlcourse.diagnostics import TLError

    try:
        yield
    except TLError as problem:
        raise _for_command_line(problem) from problem


def _for_command_line(problem: TLError) -> TLError:
    """The same error; where its fix is a mode or a switch, it names the option that takes it."""
    from tlcourse.diagnostics import TLError

    fix = _OTHER_MODE.sub(
        lambda m: f"compile in {m[1]} mode: --mode {m[1].lower()}", problem.diagnostic.fix
    )
    fix = _PASS_CONFIG.sub(lambda m: f"write --option {m[1]}={m[2].lower()}", fix)
    return TLError(replace(problem.diagnostic, fix=fix), problem.sources)


def _write_html(trace: PassTrace, path: Path) -> None:
    from tlcourse.widgets.explorer import export_html

    export_html(trace, path)
    typer.echo(f"wrote {path}")


def _trace_lines(trace: PassTrace, pass_name: str | None, *, locations: bool) -> list[str]:
    """The text after one pass, or after every pass that changed it."""
    from tlcourse.widgets.lines import split_places

    shown = [step for step in trace.snapshots if pass_name in (None, step.pass_name)]
    if not shown:
        names = ", ".join(dict.fromkeys(step.pass_name for step in trace.snapshots))
        raise typer.BadParameter(
            f"this compile runs no pass {pass_name}; it runs: {names}", param_hint="--pass"
        )
    lines: list[str] = []
    for step in shown:
        lines.append(_head(step))
        lines += [f"// {note}" for note in step.notes]
        if pass_name is not None or step.index == 0 or step.status == "changed":
            text = trace.texts[step.text_id]
            lines += [text if locations else split_places(text)[0], ""]
    return lines


def _head(step: Snapshot) -> str:
    """The comment above the text after a pass."""
    name = f"the real {step.pass_name}" if step.origin == "real" else step.pass_name
    status = "as written" if step.index == 0 else step.status
    return f"// ----- {step.index} {step.phase} {name}: {status} -----"
