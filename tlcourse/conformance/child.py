"""Child processes with limits: started in a session of their own, killed with all they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tlcourse.conformance.results import Settings

MEMORY = "TLCOURSE_CHILD_MEMORY_BYTES"


def environment(settings: Settings, scratch: Path) -> dict[str, str]:
    """The environment of a child: ours serves, and nothing is written into the checkout."""
    paths = [str(settings.folder), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "TLCOURSE_BACKEND": "simulated",
        "TLCOURSE_EXECUTION": settings.execution,
        "TLCOURSE_COMPILER": settings.backend,
        # Several of upstream's cases leave a tensor by a few rows, which hardware lets pass.
        "TLCOURSE_BOUNDS": "device",
        # What takes long is ended by the time limit of the case.
        "TLCOURSE_STEP_LIMIT": str(10**12),
        "TILELANG_CACHE_DIR": str(scratch / "cache"),
        "MPLBACKEND": "agg",
        MEMORY: str(settings.memory_limit_bytes),
    }


class Child:
    """A Python process that runs a module of this package; what it writes goes to a file."""

    def __init__(
        self, module: str, arguments: Sequence[str], *, env: Mapping[str, str], folder: Path
    ) -> None:
        self._log = Path(env["TILELANG_CACHE_DIR"]).parent / f"{module}.log"
        self._out = self._log.open("wb")
        self._process = subprocess.Popen(
            # -P: the folder that it starts in must not hide installed modules.
            [sys.executable, "-P", "-m", f"tlcourse.conformance.{module}", *arguments],
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def code(self) -> int | None:
        """The exit code, None while it runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """Waits at most so long for its end; the exit code, or None if it still runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def log(self) -> str:
        """What it wrote so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it, and whatever it started, if that still runs."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._out.close()


def limit_memory() -> None:
    """Takes the memory limit that the parent named, where the system has such limits."""
    wanted = int(os.environ.get(MEMORY, "0"))
    if not wanted or sys.platform == "win32":
        return
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))
