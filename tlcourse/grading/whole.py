"""Writes files so that nobody ever sees a part of one."""

from __future__ import annotations

from pathlib import Path

from tlcourse.stored import put

_READABLE = 0o644


def write_whole(path: Path, content: str | bytes, *, mode: int = _READABLE) -> None:
    """Writes a file so that a reader sees the old content or the new one, never a part.

    Args:
        path: the file; its folder is there.
        content: all of it.
        mode: who may read it, where the system knows that.
    """
    put(path, content.encode() if isinstance(content, str) else content, mode=mode)


def readable(name: str) -> str:
    """A file's name as text; bytes in it that are none are spelt out by their numbers."""
    return name.encode(errors="backslashreplace").decode()
