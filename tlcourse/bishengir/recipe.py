"""The whole back half of the real compiler in one process: its result, or all its passes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tlcourse.bishengir.failures import ToolError, strange
from tlcourse.bishengir.options import BishengOptions, pipeline_text
from tlcourse.bishengir.run import run_tool
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import SourceMap
from tlcourse.records import Mode

# The last pass turns ops into library calls; before it the IR is executable HIVM.
_LAST_PASS = "convert-hivm-to-std"
_DUMP = re.compile(
    r"^// -----// IR Dump (?:Before|After) \S+ \((?P<name>[^)]*)\)"
    r"(?: \('[^']*' operation(?:: @(?P<function>[^)]*))?\))? //----- //\n",
    re.MULTILINE,
)
_PLACE = r'(?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*\))*'
_LOCATION = re.compile(r" ?\bloc\(" + _PLACE + r"\)")
# What the tool writes for an op that came without a location: a place in its own input.
_OWN_PLACE = re.compile(r'"(?:-|<stdin>)":\d+:\d+')
# Functions for the launcher that the compiler adds beside the kernel's.
_HOST = re.compile(r"_infer_\w+_function$")
DEFAULT_TIMEOUT_S = 60


def compile_text(
    text: str,
    *,
    mode: Mode,
    options: BishengOptions | None = None,
    chip_name: str = DEFAULT_CHIP.name,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    sources: SourceMap | None = None,
) -> str:
    """Compiles code generation's MLIR to executable HIVM.

    Args:
        text: the module with locations.
        mode: the mode that it was generated in; the wrong one makes the tool abort.
        options: what the compiler may do on its own.
        chip_name: target, for example `Ascend910B1`.
        timeout_s: seconds for each of the two runs.
        sources: texts for the caret of an error.

    Returns:
        the module just before its ops become library calls, in generic form with
        locations, its affine ops lowered to arith.

    Raises:
        TL301, TL350 to TL353: see `tlcourse.bishengir.run.run_tool`.
        TL354: the tool is another program.
    """
    pipeline = pipeline_text(mode, options or BishengOptions(), chip_name)
    whole = run_tool(
        [
            f"--pass-pipeline={pipeline}",
            f"--mlir-print-ir-before={_LAST_PASS}",
            # The readable form of some attributes is not read back.
            "--mlir-print-op-generic",
            "--mlir-print-ir-after-failure",
            "-o=/dev/null",
        ],
        text,
        timeout_s=timeout_s,
        sources=sources,
    )
    before_last = [dump for name, _, dump in _dumps(whole.stderr) if name == _LAST_PASS]
    if not before_last:
        raise strange(whole.stdout, text, sources)
    lower = ["--lower-affine", "--mlir-print-op-generic"]
    lowered = run_tool(lower, before_last[0], timeout_s=timeout_s, sources=sources)
    return without_own_places(lowered.stdout)


def trace_text(
    text: str,
    *,
    mode: Mode,
    options: BishengOptions | None = None,
    chip_name: str = DEFAULT_CHIP.name,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    sources: SourceMap | None = None,
) -> Iterator[tuple[str, str]]:
    """The whole module after each pass that the real compiler runs, in order.

    A pass that works function by function comes once for each device function. Arguments
    and errors are those of `compile_text`; an error comes after the passes that ran.

    Yields:
        the pass's name and the module after it as readable text with locations. After a
        pass that changed nothing the text is the previous one.
    """
    pipeline = pipeline_text(mode, options or BishengOptions(), chip_name)
    arguments = [
        f"--pass-pipeline={pipeline}",
        "--mlir-print-ir-after-all",
        "--mlir-print-ir-module-scope",
        "-o=/dev/null",
    ]
    failure: ToolError | None = None
    try:
        stderr = run_tool(arguments, text, timeout_s=timeout_s, sources=sources).stderr
    except ToolError as problem:
        stderr, failure = problem.stderr, problem
    yield from _changes(stderr)
    if failure is not None:
        raise failure


def _changes(stderr: str) -> Iterator[tuple[str, str]]:
    raw, bare, shown = "", "", ""
    for name, function, dump in _dumps(stderr):
        changed = dump != raw and _LOCATION.sub("", dump) != bare
        if changed:
            raw, bare, shown = dump, _LOCATION.sub("", dump), without_own_places(dump)
        if changed or not _is_host(function):
            yield name, shown


def _dumps(stderr: str) -> Iterator[tuple[str, str, str]]:
    """Pass name, function and module text of each dump; notes between dumps are left out."""
    heads = list(_DUMP.finditer(stderr))
    if not heads:
        return
    ends = [head.start() for head in heads[1:]] + [len(stderr)]
    for head, end in zip(heads, ends, strict=True):
        body = stderr[head.end() : end]
        yield head["name"], head["function"] or "", body[: _end_of_module(body)]


def _end_of_module(body: str) -> int:
    """The end of the first line that closes a module: it starts with a brace."""
    match = re.search(r"^\}.*\n", body, re.MULTILINE)
    return match.end() if match else len(body)


def _is_host(function: str) -> bool:
    return _HOST.search(function) is not None


def without_own_places(text: str) -> str:
    """Takes out the places that the tool made up for ops that came without one."""
    return _OWN_PLACE.sub("unknown", text)
