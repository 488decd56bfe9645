"""From what `bishengir-opt` writes when it fails to an error that a learner can act on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tlcourse.bishengir.overflow import Overflow, tiles_of
from tlcourse.diagnostics import Diagnostic, Label, SourceMap, Span, TLError
from tlcourse.spans import span_at

_ERROR = re.compile(
    r"^(?:(?P<source>(?:(?!error: ).)+?):(?P<line>\d+):(?P<column>\d+): )?"
    r"(?:loc\(.*?\): )?error: (?P<text>.*)$",
    re.MULTILINE,
)
_OVERFLOW = re.compile(
    r"\b(?P<space>\w+) overflow, requires (?P<need>\d+) bits while (?P<have>\d+) bits available"
)
_FAILED_PASS = re.compile(r"^// -----// IR Dump After \S+ Failed \((?P<name>[^)]*)\)", re.MULTILINE)
_FUNCTION = re.compile(r"func\.func @(?P<name>[\w$.]+)")
_MEMORIES = {"ub": "UB", "cbuf": "L1", "cc": "L0C", "ca": "L0A", "cb": "L0B"}
_CRASHES = {134: "it aborted", 139: "it read memory that it does not own"}


@dataclass(eq=False)
class ToolError(TLError):
    """A failure of the real compiler, with all that it said.

    Args:
        stderr: what the tool wrote.
        pass_name: the pass that failed, empty where the tool does not tell.
        ir: the module that the tool was given.
    """

    stderr: str = ""
    pass_name: str = ""
    ir: str = ""


def refused(stderr: str, ir: str, sources: SourceMap | None) -> ToolError:
    """The error of a run that ended with a message: TL301 for an overflow, else TL351."""
    overflow = _OVERFLOW.search(stderr)
    diagnostic = _overflow(overflow, stderr, ir, sources) if overflow else None
    return _tool_error(diagnostic or _refusal(stderr, sources), stderr, ir, sources)


def crashed(code: int, stderr: str, ir: str, sources: SourceMap | None) -> ToolError:
    """The error of a run that a signal ended: TL352."""
    number = 128 - code if code < 0 else code
    reason = _CRASHES.get(number, f"signal {number - 128} ended it")
    name = _failed_pass(stderr)
    diagnostic = Diagnostic(
        code="TL352",
        what=f"The real compiler crashed{f' in {name}' if name else ''}",
        labels=(),
        why=f"{reason}; the fault is in bishengir-opt 1.2.0, which does not expect this IR",
        fix='use backend="embedded", or change the statement that the last passes worked on; '
        "the error object holds `ir`, `stderr` and `pass_name` for a report",
    )
    return _tool_error(diagnostic, stderr, ir, sources)


def timed_out(seconds: float, ir: str, sources: SourceMap | None) -> ToolError:
    """The error of a run that was stopped: TL353."""
    diagnostic = Diagnostic(
        code="TL353",
        what=f"The real compiler did not finish within {seconds:g} s",
        why="some passes of bishengir-opt 1.2.0 loop for ever on IR that they do not expect",
        fix='use backend="embedded", or compile a smaller kernel',
    )
    return _tool_error(diagnostic, "", ir, sources)


def strange(stdout: str, ir: str, sources: SourceMap | None) -> ToolError:
    """The error of a run that ended well and printed something else than asked for: TL354."""
    first = (stdout.strip().splitlines() or ["nothing"])[0]
    diagnostic = Diagnostic(
        code="TL354",
        what="What the real compiler printed cannot be read",
        why=f"bishengir-opt 1.2.0 is expected, and this program printed: {first[:80]}",
        fix="let TLCOURSE_BISHENGIR_OPT name bishengir-opt 1.2.0, or remove it from the "
        "environment",
    )
    return _tool_error(diagnostic, "", ir, sources)


def _tool_error(
    diagnostic: Diagnostic, stderr: str, ir: str, sources: SourceMap | None
) -> ToolError:
    return ToolError(
        diagnostic, dict(sources or {}), stderr=stderr, pass_name=_failed_pass(stderr), ir=ir
    )


def _overflow(match: re.Match[str], stderr: str, ir: str, sources: SourceMap | None) -> Diagnostic:
    found = Overflow(
        space=match["space"].lower(),
        needed_bytes=int(match["need"]) // 8,
        capacity_bytes=int(match["have"]) // 8,
    )
    memory = _MEMORIES.get(found.space, found.space)
    function = _FUNCTION.search(ir)
    kernel = function["name"].removesuffix("_mix_aic").removesuffix("_mix_aiv") if function else ""
    tiles = tiles_of(stderr, found, sources or {})
    reason = tiles.why if tiles else "all tiles that are alive at the same time lie in one memory"
    return Diagnostic(
        code="TL301",
        what=f"The tiles of {kernel or 'kernel'} need {found.needed_bytes:,} B of {memory}, which "
        f"holds {found.capacity_bytes:,} B",
        labels=_wider(tiles, sources) if tiles else _labels(_ERROR.search(stderr), sources),
        why=f"{reason}\n    bishengir-opt says: {match[0]}",
        fix="make the tiles smaller (block_M, block_N, block_K), reuse a buffer, or keep one copy "
        'of each tile: pass_configs={"npuir.enable_auto_multi_buffer": False}',
    )


def _wider(tiles: Diagnostic, sources: SourceMap | None) -> tuple[Label, ...]:
    """The labels, over whole expressions where their text is known."""
    known = sources or {}
    return tuple(
        replace(one, span=span_at(known[one.span.source], one.span.line, one.span.column))
        if one.span.source in known
        else one
        for one in tiles.labels
    )


def _refusal(stderr: str, sources: SourceMap | None) -> Diagnostic:
    match = _ERROR.search(stderr)
    message = match["text"] if match else (stderr.strip().splitlines() or ["no message"])[0]
    name = _failed_pass(stderr)
    return Diagnostic(
        code="TL351",
        what=f"The real compiler refused the kernel{f' in {name}' if name else ''}",
        labels=_labels(match, sources),
        why=f"bishengir-opt says: {message}",
        fix="change the statement that the message names; `show_passes` shows the IR up to the "
        "pass that failed, and the error object holds `ir`, `stderr` and `pass_name`",
    )


def _failed_pass(stderr: str) -> str:
    match = _FAILED_PASS.search(stderr)
    return match["name"] if match else ""


def _labels(match: re.Match[str] | None, sources: SourceMap | None) -> tuple[Label, ...]:
    if match is None or match["source"] is None:
        return ()
    source, line, column = match["source"], int(match["line"]), int(match["column"])
    found = (sources or {}).get(source)
    if found is not None:
        return (Label(span=span_at(found, line, column)),)
    if source in ("-", "<stdin>"):
        return ()
    return (
        Label(
            span=Span(source=source, line=line, column=column, end_line=line, end_column=column + 1)
        ),
    )
