"""pip as a child process, and what its complaints mean in words of the course."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from tlcourse.diagnostics import TLError, error

# The same wheels as a learner's pip would take, and a quick answer where there is no network.
_ALWAYS = ("--quiet", "--only-binary", ":all:", "--retries", "1", "--timeout", "30")
_NO_NETWORK = (
    "Failed to establish a new connection",
    "Name or service not known",
    "Temporary failure in name resolution",
    "NewConnectionError",
    "getaddrinfo failed",
    "Network is unreachable",
    "NameResolutionError",
)
_FULL = ("No space left on device", "not enough space on the disk", "[Errno 28]")


def pip(command: str, *options: str) -> None:
    """Runs pip; it says nothing while all goes well.

    Raises:
        TL780: it cannot find or fetch something.
        TL783: the disk is full.
    """
    done = subprocess.run(
        [sys.executable, "-m", "pip", command, *_ALWAYS, *options],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"},
    )
    if done.returncode:
        raise meaning(done.stderr or done.stdout)


def meaning(said: str) -> TLError:
    """The error that stands for what pip printed before it failed."""
    if any(words in said for words in _FULL):
        return _full("a wheel")
    lines = said.splitlines()
    if without_network(said):
        heard = next(line for line in lines if any(words in line for words in _NO_NETWORK))
        return error(
            "TL780",
            "the packages cannot be fetched: there is no network, or the index is not reached",
            why=f"pip says: {heard[:300]}",
            fix="connect, or set PIP_INDEX_URL or PIP_PROXY to what works here, and run the same "
            "command again: what is there already is not fetched twice",
        )
    last = "\n".join([line for line in lines if line.startswith("ERROR")] or lines[-3:])[:600]
    return error(
        "TL780",
        "pip cannot find or fetch what is needed",
        why=f"pip says: {last}",
        fix="run `tlcourse doctor` for Python and architecture; if a wheel is missing for them, "
        "take a Python that has one; else run the same command again",
    )


def without_network(said: str) -> bool:
    """Whether pip failed since it reached nobody."""
    return any(words in said for words in _NO_NETWORK)


@contextmanager
def room_for(name: str) -> Generator[None, None, None]:
    """Says that the disk is full where writing fails for it.

    Raises:
        TL783: it is.
    """
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise _full(name) from problem


def _full(name: str) -> TLError:
    return error(
        "TL783",
        f"the disk is full: {name} could not be written",
        why="a wheelhouse takes up to 1 GB, and pip needs room for its temporary files (TMPDIR)",
        fix="make room, or name a folder on another disk, and run the same command again: what is "
        "there already is kept",
    )
