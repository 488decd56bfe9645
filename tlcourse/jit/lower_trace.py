"""`lower_trace` and `TL_LOWER_TRACE`: what each pass changed, in the terminal or as a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from tlcourse.config import read_config
from tlcourse.diagnostics import TLError, error
from tlcourse.jit.kernel import Kernel
from tlcourse.language import PrimFunc
from tlcourse.pipeline import PassFailure
from tlcourse.records import PassTrace

if TYPE_CHECKING:
    from tlcourse.widgets.steps import Step

TraceOutput = Literal["terminal", "html", "both"]
ENABLED, FOLDER = "TL_LOWER_TRACE", "TL_LOWER_TRACE_DIR"
_OUTPUTS: dict[str, TraceOutput | None] = {
    **dict.fromkeys(("", "0", "false", "no", "off"), None),
    **dict.fromkeys(("1", "true", "yes", "on", "html"), "html"),
    "terminal": "terminal",
    "both": "both",
}
# What TL_LOWER_TRACE_DIR said before each `enable(trace_dir=..)`, for `disable`.
_folder_outside: list[str | None] = []
_SIGNS = {"+": "\x1b[32m", "-": "\x1b[31m"}


class LowerStep(TypedDict):
    """One pass, under upstream's names."""

    name: str
    before_script: str
    after_script: str
    diff_lines: list[str]
    insertions: int
    deletions: int
    changed: bool


def lower_trace(
    func_or_mod: PrimFunc | Kernel | PassTrace,
    passes: str | Sequence[str] = (),
    *,
    mode: str = "terminal",
    context: int = 3,
    html_path: str | Path = "lower_trace_report.html",
) -> list[LowerStep]:
    """Shows the IR before and after each pass of a kernel.

    Differs from upstream: all passes run, in their order, and `passes` says which are shown.

    Args:
        func_or_mod: a `T.prim_func`, a compiled kernel, or the record of its passes.
        passes: a name or several; none shows all.
        mode: `terminal`, `html` or `both`.
        context: unchanged lines around a change.
        html_path: the file of the page.

    Raises:
        TL424: the mode is unknown.
        TL474: the kernel has no such pass.
        TL718: the page cannot be written.
        TL730: that is no kernel.
    """
    output = output_from(mode)
    trace = _trace_of(func_or_mod)
    wanted = {passes} if isinstance(passes, str) else set(passes)
    _check_names(trace, wanted)
    found = [
        (step, _as_upstream(step, context))
        for step in _steps(trace)
        if not wanted or step.snapshot.pass_name in wanted
    ]
    if output in ("terminal", "both"):
        for step, shown in found:
            _print(step, shown)
    if output in ("html", "both"):
        _write(trace, html_path)
    return [shown for _, shown in found]


def enable(mode: str | None = None, trace_dir: str | None = None) -> None:
    """Traces every kernel that is made from now on, as TL_LOWER_TRACE does.

    Args:
        mode: `terminal`, `html` or `both`; None leaves what the environment says, else `html`.
        trace_dir: where pages go; None leaves TL_LOWER_TRACE_DIR, else `tmp/lower_trace_dir`.

    Raises:
        TL424: the mode is unknown.
    """
    if mode is not None:
        os.environ[ENABLED] = output_from(mode) or "off"
    else:
        os.environ.setdefault(ENABLED, "html")
    if trace_dir is not None:
        _folder_outside.append(os.environ.get(FOLDER))
        os.environ[FOLDER] = trace_dir


def disable() -> None:
    """Traces no more kernels, and forgets the folder that `enable` was told."""
    os.environ.pop(ENABLED, None)
    if not _folder_outside:
        return
    outside = _folder_outside[0]
    _folder_outside.clear()
    if outside is None:
        os.environ.pop(FOLDER, None)
    else:
        os.environ[FOLDER] = outside


def reset() -> None:
    """Drops what the compilation that is running has recorded; there is none outside of one.

    Differs from upstream: a kernel is traced when it is made, in one go and with a record of its
    own, so there is never a half-made record to drop and later kernels are traced as before.
    """


def output_from(word: str) -> TraceOutput | None:
    """What a value of TL_LOWER_TRACE asks for.

    Raises:
        TL424: it is unknown.
    """
    known = str(word).strip().lower()
    if known not in _OUTPUTS:
        raise error(
            "TL424",
            f'{ENABLED} = "{word}" is not known',
            why="it says where the passes of each kernel are shown",
            fix="use terminal, html or both; 1 is html, and 0 or nothing shows none",
        )
    return _OUTPUTS[known]


def trace_if_asked(kernel: Kernel) -> None:
    """Shows the passes of a kernel that was just made, where TL_LOWER_TRACE asks for it.

    A kernel that does not compile is shown as far as its passes came; its launch says why.
    """
    config = read_config()
    output = output_from(config.lower_trace)
    if output is None:
        return
    try:
        trace = _trace_of(kernel)
    except TLError:
        return  # told at the launch
    lower_trace(trace, mode=output, html_path=Path(config.lower_trace_dir) / f"{trace.kernel}.html")


def _trace_of(found: PrimFunc | Kernel | PassTrace) -> PassTrace:
    if isinstance(found, PassTrace):
        return found
    kernel = _compiled(found) if isinstance(found, PrimFunc) else found
    if not isinstance(cast(object, kernel), Kernel):
        raise error(
            "TL730",
            f"lower_trace cannot show an object of type {type(kernel).__name__}",
            why="it shows the passes of a kernel",
            fix="pass a T.prim_func, or what tilelang.compile or @tilelang.jit returns",
        )
    try:
        return kernel.trace()
    except PassFailure as failure:
        if failure.trace is None:
            raise
        return failure.trace


def _compiled(func: PrimFunc) -> Kernel:
    from tlcourse.jit.decorator import compile as made

    return made(func)


def _check_names(trace: PassTrace, wanted: set[str]) -> None:
    known = [one.pass_name for one in trace.snapshots]
    for name in sorted(wanted.difference(known)):
        raise error(
            "TL474",
            f"{trace.kernel} has no pass {name}",
            why="its passes are " + ", ".join(dict.fromkeys(known)),
            fix="choose names of these, or leave them out to see all",
        )


def _steps(trace: PassTrace) -> tuple[Step, ...]:
    from tlcourse.widgets.steps import steps

    return steps(trace)[1:]


def _as_upstream(step: Step, context: int) -> LowerStep:
    lines = _diff_lines(step, context)
    kinds = [row.kind for row in step.rows]
    changed, moved = kinds.count("changed"), kinds.count("moved") // 2
    plus = kinds.count("added") + changed + moved
    minus = kinds.count("removed") + changed + moved
    return {
        "name": step.snapshot.pass_name,
        "before_script": step.before,
        "after_script": step.after,
        "diff_lines": lines,
        "insertions": plus,
        "deletions": minus,
        "changed": bool(plus or minus),
    }


def _diff_lines(step: Step, context: int) -> list[str]:
    """Changed lines with a sign, and unchanged ones near them; `...` stands for the others."""
    before, after = step.before.splitlines(), step.after.splitlines()
    loud = [k for k, row in enumerate(step.rows) if row.kind not in ("same", "renamed")]
    near = sorted({k for at in loud for k in range(at - context, at + context + 1)})
    lines: list[str] = []
    last = -1
    for k in near:
        if not 0 <= k < len(step.rows):
            continue
        row = step.rows[k]
        lines += ["..."] if k > last + 1 else []
        if row.kind in ("same", "renamed"):
            lines.append(f"  {after[cast(int, row.after)]}")
        else:
            lines += [f"- {before[row.before]}"] if row.before is not None else []
            lines += [f"+ {after[row.after]}"] if row.after is not None else []
        last = k
    return lines


def _print(step: Step, shown: LowerStep) -> None:
    number, status = step.snapshot.index, step.snapshot.status
    print(f"== pass {number}: {shown['name']} ({status}) ==")
    coloured = sys.stdout.isatty()
    for line in shown["diff_lines"]:
        colour = _SIGNS.get(line[:1]) if coloured else None
        print(f"{colour}{line}\x1b[0m" if colour else line)
    for note in step.snapshot.notes:
        print(f"note: {note}")
    print(
        f"+{shown['insertions']} -{shown['deletions']} lines" if shown["changed"] else "no change"
    )


def _write(trace: PassTrace, path: str | Path) -> None:
    from tlcourse.widgets.explorer import export_html
    from tlcourse.widgets.pagefile import make_folder

    make_folder(path)
    print(f"wrote {export_html(trace, path)}")
