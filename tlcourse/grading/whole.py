"""Writes files so that nobody ever sees a part of one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

_READABLE = 0o644


def write_whole(path: Path, content: str | bytes, *, mode: int = _READABLE) -> None:
    """Writes a file so that a reader sees the old content or the new one, never a part.

    Args:
        path: the file; its folder is there.
        content: all of it.
        mode: who may read it, where the system knows that.
    """
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException as problem:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(problem, OSError):
            raise named(problem, path) from problem
        raise


def readable(name: str) -> str:
    """A file's name as text; bytes in it that are none are spelt out by their numbers."""
    return name.encode(errors="backslashreplace").decode()


def named(problem: OSError, path: Path) -> OSError:
    """The same problem with the file's name, which a full disk does not tell."""
    return OSError(problem.errno, problem.strerror, str(path))
