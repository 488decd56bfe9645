"""Runs somebody else's code in a process with limits on time, memory, output and files.

Where bubblewrap is installed and works, the process sees a read-only system, its own work
folder, no network and nothing of the course's specs and solutions. Elsewhere only the limits
hold; `isolation()` says which.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a process may use.

    Args:
        cpu_seconds: CPU time.
        wall_seconds: wall time; only a guard against sleeping.
        memory_bytes: address space.
        output_bytes: bytes of standard output and error that are kept.
        file_bytes: size of a file that it writes.
        processes: processes and threads of the user, where the system counts them.
    """

    cpu_seconds: int = 60
    wall_seconds: int = 120
    memory_bytes: int = 8 * 2**30
    output_bytes: int = 64 * 2**10
    file_bytes: int = 64 * 2**20


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a limited process ended."""

    state: Literal["ended", "timeout", "killed"]
    returncode: int
    output: str


def run_limited(module: str, work: Path, limits: Limits) -> Outcome:
    """Runs `python -m module work` under limits; the process and its children are gone after.

    Args:
        module: module to run.
        work: folder that the process may write to; it is its working directory.
        limits: what it may use.
    """
    command = [*_shell(work), sys.executable, "-m", module, str(work)]
    log = work / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(work),
            start_new_session=True,
            preexec_fn=_limiter(limits),
        )
        try:
            returncode = process.wait(timeout=limits.wall_seconds)
            state = _state(returncode)
        except subprocess.TimeoutExpired:
            returncode, state = -1, "timeout"
        finally:
            _kill_group(process)
    return Outcome(state=state, returncode=returncode, output=_head(log, limits.output_bytes))


def _state(returncode: int) -> Literal["ended", "timeout", "killed"]:
    # Bubblewrap passes a signal on as 128 + its number.
    signals = {-returncode, returncode - 128}
    if signals & _TIME_SIGNALS:
        return "timeout"
    return "killed" if returncode < 0 or returncode > 128 else "ended"


_TIME_SIGNALS = {int(getattr(signal, "SIGXCPU", 24))}


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    else:
        process.kill()
    process.wait()


def _head(log: Path, size_bytes: int) -> str:
    with log.open("rb") as stream:
        return stream.read(size_bytes).decode(errors="replace")


def _environment(work: Path) -> dict[str, str]:
    """A small environment: nothing of the caller's secrets, one thread, no user site."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    root = str(Path(__file__).parents[2])
    return {
        **kept,
        "HOME": str(work),
        "TMPDIR": str(work),
        "PYTHONPATH": root,
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "TLCOURSE_BACKEND": "simulated",
        "TILELANG_DISABLE_CACHE": "1",
    }


def _limiter(limits: Limits) -> Callable[[], None] | None:
    if sys.platform == "win32":
        return None
    import resource

    caps = [
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 5),
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_CORE, 0, 0),
    ]

    def limit() -> None:
        for what, soft, hard in caps:
            resource.setrlimit(what, (soft, hard))

    return limit


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


def _shell(work: Path) -> Sequence[str]:
    """The words in front of the command that shut the process in."""
    found = _bubblewrap()
    if found is None:
        return ()
    system = [path for path in ("/usr", "/lib", "/lib64", "/bin", "/etc") if Path(path).exists()]
    python = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()}
    folders = [path for path in sorted(python) if Path(path).is_dir()]
    package = Path(__file__).parents[1]
    words = [found, "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    for path in (*system, *folders, str(package), str(_specs())):
        words += ["--ro-bind", path, path]
    return (*words, "--bind", str(work), str(work), "--chdir", str(work), "--")


def _specs() -> Path:
    from tlcourse.grading.spec import specs_folder

    return specs_folder()
