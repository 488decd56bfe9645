"""Runs `bishengir-opt` once: text in, text out, a coded error when it fails."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from tlcourse.bishengir.failures import crashed, refused, timed_out
from tlcourse.bishengir.find import require_tool
from tlcourse.diagnostics import SourceMap

# Locations stand on each op, and a failing pass names itself.
_ALWAYS = ("--mlir-print-local-scope", "--mlir-disable-threading")
_PLACES = ("--mlir-print-debuginfo",)
_SIGNAL = 128
# What an unknown flag that begins with `h` gets, with exit code 0.
_HELP = "OVERVIEW:"


@dataclass(frozen=True, kw_only=True)
class ToolOutput:
    """What a run wrote: the IR after the last pass, and IR dumps and notes."""

    stdout: str
    stderr: str


def run_tool(
    arguments: Sequence[str],
    text: str,
    *,
    timeout_s: float,
    sources: SourceMap | None = None,
    places: bool = True,
) -> ToolOutput:
    """Runs `bishengir-opt` on a module.

    Only the exit code tells success: passes that give up softly write `error:` and go on.

    Args:
        arguments: passes and flags.
        text: the module with locations.
        timeout_s: seconds after which the run is stopped.
        sources: texts for the caret of an error.
        places: print the location of each op.

    Raises:
        TL350: the tool is not on this machine.
        TL301: buffers do not fit into a memory.
        TL351: a pass refused the module.
        TL352: the tool crashed.
        TL353: the tool did not finish in time.
    """
    always = (*_PLACES, *_ALWAYS) if places else _ALWAYS
    command = [*_fixed_addresses(), str(require_tool()), *always, *arguments, "-"]
    try:
        code, output = _run(command, text, timeout_s)
    except subprocess.TimeoutExpired as late:
        raise timed_out(timeout_s, text, sources) from late
    if output.stdout.startswith(_HELP):
        words = " ".join(arguments)
        raise refused(f"error: there is no such pass or option: {words}", text, sources)
    if code == 0:
        return output
    if code < 0 or code > _SIGNAL:
        raise crashed(code, output.stderr, text, sources)
    raise refused(output.stderr, text, sources)


def _run(command: list[str], text: str, timeout_s: float) -> tuple[int, ToolOutput]:
    # Files, not pipes: the tool writes its dumps in pieces of a few bytes.
    with TemporaryFile() as out, TemporaryFile() as err:
        done = subprocess.run(
            command, input=text.encode(), stdout=out, stderr=err, timeout=timeout_s, check=False
        )
        return done.returncode, ToolOutput(stdout=_contents(out), stderr=_contents(err))


def _contents(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


@lru_cache(maxsize=1)
def _fixed_addresses() -> tuple[str, ...]:
    """A prefix that switches address randomisation off, where the system allows it.

    The tool walks some sets in the order of pointers; fixed addresses make its output the
    same on every run.
    """
    setarch = shutil.which("setarch")
    if setarch is None:
        return ()
    prefix = (setarch, platform.machine(), "-R")
    probe = subprocess.run([*prefix, _true()], capture_output=True, check=False)
    return prefix if probe.returncode == 0 else ()


def _true() -> str:
    return shutil.which("true") or str(Path("/bin/true"))
