"""A warm parent: has everything imported and forks a process for each hand-in.

Usage: python -m tlcourse.grading.warm WALLS, where WALLS is a JSON list; the first that the system
can build is taken. One request a line, one outcome a line, until the pipe closes. It knows
nothing of references, points and other hand-ins, so what it forks knows nothing of them.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import IO

from tlcourse.grading import kernel_calls, limited, strict, walls
from tlcourse.grading.sandbox import LOOK_SECONDS, Limits, Outcome, State, is_larger, state_of
from tlcourse.grading.walls import Walls

READY = "ready"
_SPARE_SECONDS = 1.0
# In /proc/PID/stat behind the name: time in user and in system code, own and of ended children.
_TIMES = slice(11, 15)
MODULE = "tlcourse.grading.child"
# What a hand-in's first cell imports.
_WARM = (
    MODULE,
    "tlcourse.grading.packages.inspecting",
    "torch",
    "numpy",
    "tilelang",
    "tilelang.language",
    "tlcourse.examples.minicv",
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One request: the folder that holds the hand-in, and what it may use."""

    work: str
    limits: Limits


def main(offered: Sequence[Walls], requests: IO[str], answers: IO[str]) -> None:
    """Serves until the requests end."""
    from tlcourse.finder import prefer_simulated

    kernel_calls.adopt_orphans()
    prefer_simulated()
    for name in _WARM:
        import_module(name)
    gc.collect()
    gc.freeze()  # pages that no collection touches stay shared with the children
    chosen = _first_that_stands(offered)
    print(json.dumps({READY: chosen.kind}), file=answers, flush=True)
    for line in requests:
        print(_answer(chosen, line), file=answers, flush=True)


def _answer(chosen: Walls, line: str) -> str:
    try:
        request = strict.read(Run, json.loads(line), "request")
        return json.dumps(asdict(_forked(chosen, request)))
    except (OSError, ValueError) as problem:
        return json.dumps({"failed": f"{type(problem).__name__}: {problem}"})


def _first_that_stands(offered: Sequence[Walls]) -> Walls:
    """The first walls that this system lets a process build, found out by building them."""
    for tried in offered:
        with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
            try:
                ended = _forked(tried, Run(work=folder, limits=Limits()), probe=True)
            except OSError:
                continue
        if ended.returncode == 0:
            return tried
    raise OSError("none of the offered walls can be built")


def _forked(chosen: Walls, run: Run, *, probe: bool = False) -> Outcome:
    output, to_output = os.pipe()
    trouble, to_trouble = os.pipe()
    pid = os.fork()
    if not pid:
        _child(chosen, run, to_output, to_trouble, probe)
    os.close(to_output)
    os.close(to_trouble)
    try:
        outcome = _watched(pid, output, run)
        said = os.read(trouble, 2**12).decode(errors="replace")
    finally:
        os.close(output)
        os.close(trouble)
    if said:
        raise OSError(f"the sandbox cannot be built: {said}")
    return outcome


def _child(chosen: Walls, run: Run, output: int, trouble: int, probe: bool) -> None:
    """The forked side; never returns."""
    code = 1
    try:
        os.setsid()
        trouble = _only(output, trouble)
        os.environ.update(HOME=run.work, TMPDIR=run.work)
        tempfile.tempdir = None
        walls.enter(chosen, run.work)
        os.chdir(run.work)
    except OSError as problem:
        os.write(trouble, str(problem).encode())
        os._exit(code)
    os.close(trouble)
    try:
        counted = run.limits.processes if chosen.kind == "namespaces" else 0
        limited.take({**asdict(run.limits), "processes": counted})
        if not probe:
            import_module(MODULE).main(Path(run.work))
        code = 0
    except BaseException:  # noqa: BLE001 - told as the interpreter tells it
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)


def _only(output: int, trouble: int) -> int:
    """Closes all that was inherited but the two pipes; standard input reads as empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    high = [fcntl.fcntl(opened, fcntl.F_DUPFD, 50) for opened in (nothing, output, output, trouble)]
    for number, opened in enumerate(high):
        os.dup2(opened, number)
    os.closerange(len(high), 4096)
    return len(high) - 1


def _watched(pid: int, output: int, run: Run) -> Outcome:
    """Waits for the child's end or stops it; keeps the head of what it prints."""
    began = time.monotonic()
    ended = os.pidfd_open(pid)
    kept = b""
    state: State | None = None
    open_ends = [ended, output]
    while ended in open_ends:
        ready, _, _ = select.select(open_ends, [], [], LOOK_SECONDS)
        if output in ready:
            chunk = os.read(output, 2**16)
            kept += chunk[: run.limits.output_bytes - len(kept)]
            open_ends = open_ends if chunk else [ended]
        if ended in ready:
            break
        state = state or _over(run, began)
        if state is not None:
            break
    os.close(ended)
    kept += _rest(output)[: run.limits.output_bytes - len(kept)]
    code = _killed(pid)
    state = state or state_of(code)
    if state == "killed" and time.monotonic() - began >= run.limits.cpu_seconds:
        state = "timeout"  # it ignored the signal of the CPU limit
    return Outcome(state=state, returncode=code, output=kept.decode(errors="replace"))


def _over(run: Run, began: float) -> State | None:
    if time.monotonic() - began > run.limits.wall_seconds:
        return "timeout"
    # The system counts each process for itself; many that loop must not take longer than one.
    if _cpu_seconds() > run.limits.cpu_seconds + _SPARE_SECONDS:
        return "timeout"
    return "killed" if is_larger(Path(run.work), run.limits.disk_bytes) else None


def _cpu_seconds() -> float:
    """CPU time of the hand-in: of all that this process started, and of what those started."""
    ticks, left = 0, _children(os.getpid())
    while left:
        pid = left.pop()
        try:
            told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended; its parent has its time
        ticks += sum(map(int, told.rpartition(")")[2].split()[_TIMES]))
        left += _children(pid)
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, path.read_text(encoding="ascii").split())
    return found


def _rest(output: int) -> bytes:
    """What is in the pipe already; a process that got away may hold its other end open."""
    ready, _, _ = select.select([output], [], [], 0)
    return os.read(output, 2**16) if ready else b""


def _killed(pid: int) -> int:
    """Ends the child's group and the child, and says how the child ended."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # it is gone, or has ended before it made a group
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    _end_orphans()
    return os.waitstatus_to_exitcode(status)


def _end_orphans() -> None:
    """Ends what the child left behind, in whatever group it hides."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    while listed.is_file() and (left := listed.read_text(encoding="ascii").split()):
        for orphan in left:
            os.kill(int(orphan), signal.SIGKILL)
            os.waitpid(int(orphan), 0)


def _own_output() -> IO[str]:
    """Standard output for answers alone: whatever else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    main(strict.read(tuple[Walls, ...], json.loads(sys.argv[1])), sys.stdin, _own_output())
