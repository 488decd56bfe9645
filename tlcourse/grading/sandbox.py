"""Runs somebody else's code in a process with limits on time, memory, output and files.

Where bubblewrap is installed and works, the process also sees a read-only system, its own work
folder, no network and nothing of the course's specs, solutions and hand-ins. Elsewhere only
the limits hold; `isolation()` says which.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Literal, cast

State = Literal["ended", "timeout", "killed"]

# What a Python with torch reads of the system, and nothing else of it.
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
LOOK_SECONDS = 0.2
"""How often a running hand-in is looked at."""
_BLOCK_BYTES = 4096
_TIME_IS_UP = int(getattr(signal, "SIGXCPU", 24))


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a process may use.

    Args:
        cpu_seconds: CPU time.
        wall_seconds: wall time; only a guard against sleeping.
        memory_bytes: address space.
        output_bytes: bytes of standard output and error that are kept; the rest is dropped.
        file_bytes: size of a file that it writes.
        disk_bytes: size of all files in its work folder, looked at a few times a second.
        processes: processes and threads, where bubblewrap counts them apart from the user's;
            the system does not hold root to it.
    """

    cpu_seconds: int = 30
    wall_seconds: int = 120
    memory_bytes: int = 6 * 2**30
    output_bytes: int = 64 * 2**10
    file_bytes: int = 64 * 2**20
    disk_bytes: int = 128 * 2**20
    processes: int = 64


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a limited process ended, and the head of what it printed."""

    state: State
    returncode: int
    output: str


def run_limited(
    module: str, work: Path, limits: Limits, *, variables: Mapping[str, str] | None = None
) -> Outcome:
    """Runs `python -m module work` under limits; the process and its children are gone after.

    Args:
        module: module to run.
        work: folder that the process may write to; it is its working directory.
        limits: what it may use.
        variables: further environment variables.
    """
    bubblewrap = _bubblewrap()
    caps = {**asdict(limits), "processes": limits.processes if bubblewrap else 0}
    starter = [sys.executable, "-m", "tlcourse.grading.limited", json.dumps(caps)]
    began = time.monotonic()
    process = subprocess.Popen(
        [*_shell(bubblewrap, work), *starter, module, str(work)],
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**environment(work), **(variables or {})},
        start_new_session=True,
    )
    head = _Head(cast(BufferedReader, process.stdout), limits.output_bytes)
    try:
        state = _watched(process, work, limits)
    finally:
        _kill_group(process)
    if state == "killed" and time.monotonic() - began >= limits.cpu_seconds:
        # It ignored the signal of the CPU limit; bubblewrap does not tell the time it used.
        state = "timeout"
    return Outcome(state=state, returncode=process.returncode, output=head.text())


class _Head:
    """Keeps the first bytes of a stream and drops the rest, so that nobody has to wait."""

    def __init__(self, stream: BufferedReader, size_bytes: int) -> None:
        self._stream = stream
        self._size_bytes = size_bytes
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def text(self) -> str:
        """What was kept, once the stream has ended."""
        # A process that got away may hold the stream open: it is not waited for.
        self._thread.join(timeout=1.0)
        return self._kept.decode(errors="replace")

    def _drain(self) -> None:
        with self._stream:
            while chunk := self._stream.read1(2**16):
                self._kept += chunk[: self._size_bytes - len(self._kept)]


def _watched(process: subprocess.Popen[bytes], work: Path, limits: Limits) -> State:
    """Waits for the end, or for the moment at which the process has had its time or its disk."""
    end = time.monotonic() + limits.wall_seconds
    while time.monotonic() < end:
        try:
            return state_of(process.wait(timeout=LOOK_SECONDS))
        except subprocess.TimeoutExpired:
            if is_larger(work, limits.disk_bytes):
                return "killed"
    return "timeout"


def is_larger(folder: Path, limit_bytes: int) -> bool:
    """Whether a folder holds more than that; an empty file takes a block as well."""
    used = 0
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            try:
                size = os.lstat(Path(place) / name).st_size
            except OSError:
                continue  # it is gone already
            used += max(size, _BLOCK_BYTES)
            if used > limit_bytes:
                return True
    return False


def state_of(returncode: int) -> State:
    """How a process ended, from its exit code."""
    # Bubblewrap passes a signal on as 128 + its number.
    if _TIME_IS_UP in (-returncode, returncode - 128):
        return "timeout"
    return "killed" if returncode < 0 or returncode > 128 else "ended"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def environment(work: Path) -> dict[str, str]:
    """A small environment: nothing of the caller's secrets, one thread, no user site."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return {
        **kept,
        "HOME": str(work),
        "TMPDIR": str(work),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "TLCOURSE_BACKEND": "simulated",
        "TLCOURSE_ENGINE": "torch",  # what a hand-in compiles is not used, so no C is built
        "TILELANG_DISABLE_CACHE": "1",
    }


def isolation() -> Literal["bubblewrap", "limits only"]:
    """How hand-ins are kept apart from this machine."""
    return "bubblewrap" if _bubblewrap() else "limits only"


@cache
def _bubblewrap() -> str | None:
    """The path of a bubblewrap that works here: user namespaces may be switched off."""
    found = shutil.which("bwrap")
    if found is None:
        return None
    probe = [found, "--ro-bind", "/", "/", "--unshare-all", "--", "/bin/true"]
    try:
        tried = subprocess.run(probe, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if tried.returncode == 0 else None


def _shell(bubblewrap: str | None, work: Path) -> Sequence[str]:
    """The words in front of the command that shut the process in."""
    if bubblewrap is None:
        return ()
    words = [bubblewrap, "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    for path in readable():
        words += ["--ro-bind", path, path]
    for path in hidden():
        words += ["--tmpfs", path]
    words += ["--bind", str(work), str(work), "--chdir", str(work)]
    # What else could be written to lies in memory, which nothing limits.
    return (*words, "--remount-ro", "/dev", "--remount-ro", "/", "--")


def readable() -> tuple[str, ...]:
    """What a hand-in may read: the system's programs and libraries, Python, this package."""
    system = [path for path in _SYSTEM if Path(path).exists()]
    return (*system, *_python_folders(), str(Path(__file__).parents[1]))


def hidden() -> tuple[str, ...]:
    """What lies inside those but is not for it: specs lie inside an installed package."""
    files = Path(__file__).parents[1] / "course_files"
    return (str(files),) if files.is_dir() else ()


def _python_folders() -> list[str]:
    folders = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()}
    return [path for path in sorted(folders) if Path(path).is_dir()]
